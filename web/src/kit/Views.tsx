import { Skeleton, Tabs } from 'antd'
import { type ComponentType, Suspense } from 'react'
import { useSearchParams } from 'react-router-dom'
import './views.css'

/** One of several views of a page. */
export interface View {
  /** In the address, behind `view`. */
  key: string
  label: string
  View: ComponentType
  /** Beside the label: how much waits there. */
  Count?: ComponentType
}

interface ViewsProps {
  /** Names the choice among them. */
  label: string
  /** The first is shown by an address that names none. */
  views: readonly [View, ...View[]]
}

const NAME = 'view'

/** A page in several views, each with its own filters; the address names the view. */
export function Views({ label, views }: ViewsProps) {
  const [params, setParams] = useSearchParams()
  const [first] = views
  const { key, View } = views.find((one) => one.key === params.get(NAME)) ?? first
  // Filters of one view mean nothing to the other.
  const choose = (next: string) => setParams(next === first.key ? {} : { [NAME]: next })
  return (
    <div className="views">
      <Tabs
        aria-label={label}
        activeKey={key}
        onChange={choose}
        items={views.map(({ key: each, label: title, Count }) => ({
          key: each,
          label: (
            <>
              {title}
              {Count && <Count />}
            </>
          ),
        }))}
      />
      <Suspense fallback={<Skeleton active paragraph={{ rows: 12 }} />}>
        <View key={key} />
      </Suspense>
    </div>
  )
}
