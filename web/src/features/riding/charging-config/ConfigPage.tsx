import { useQuery } from '@tanstack/react-query'
import { Empty, Select, Skeleton, Tabs } from 'antd'
import { type ReactNode, useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import { type AreaChoice, AREAS_MOST, areasOf } from '@/kit/areaChoices'
import { LoadFailure } from '@/kit/LoadFailure'
import { keepArea, rememberedArea } from './rememberedArea'
import '@/kit/list/list.css'
import '@/kit/notice.css'
import './chargingConfig.css'

const AREA = 'opAreaId'
const TAB = 'tab'

interface ConfigPageProps {
  title: string
  says: string
  /** The first is shown where the address names none. */
  tabs: readonly { key: string; label: string; of(area: AreaChoice): ReactNode }[]
}

/** What is configured of service areas: one area at a time, a tab for each kind. */
export function ConfigPage({ title, says, tabs }: ConfigPageProps) {
  const [params, setParams] = useSearchParams()
  const areas = useQuery(areasOf([]))
  const wanted = params.get(AREA) ?? rememberedArea()
  const area = areas.data?.find(({ id }) => id === wanted) ?? areas.data?.[0]
  const tab = tabs.find(({ key }) => key === params.get(TAB)) ?? tabs[0]
  const go = (to: { area?: string; tab?: string }) => {
    const next = new URLSearchParams(params)
    if (to.area) next.set(AREA, to.area)
    if (to.tab) next.set(TAB, to.tab)
    setParams(next, { replace: true })
  }
  useEffect(() => {
    if (area) keepArea(area.id)
  }, [area])
  return (
    <section aria-labelledby="config-title">
      <header className="list-head">
        <h1 id="config-title">{title}</h1>
        <p className="weak">{says}</p>
      </header>
      <div className="panel config-panel">
        <LoadFailure query={areas} text="服务区加载失败" />
        {areas.isLoading && <Skeleton active />}
        {areas.data && !area && <Empty description="没有可以配置的服务区" />}
        {area && (
          <>
            <label className="config-area">
              <span className="weak">服务区</span>
              <Select
                aria-label="服务区"
                showSearch={{ optionFilterProp: 'label' }}
                popupMatchSelectWidth={false}
                notFoundContent="没有匹配的服务区"
                value={area.id}
                options={areas.data?.map(({ id, name }) => ({ value: id, label: name }))}
                onChange={(id: string) => go({ area: id })}
              />
              {(areas.data?.length ?? 0) >= AREAS_MOST && <span className="weak">只列出前 {AREAS_MOST.toLocaleString('zh-CN')} 个服务区</span>}
            </label>
            <Tabs
              activeKey={tab?.key ?? ''}
              onChange={(key) => go({ tab: key })}
              destroyOnHidden
              items={tabs.map(({ key, label, of }) => ({ key, label, children: of(area) }))}
            />
          </>
        )}
      </div>
    </section>
  )
}
