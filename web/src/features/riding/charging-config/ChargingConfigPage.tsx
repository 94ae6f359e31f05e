import { useQuery } from '@tanstack/react-query'
import { Empty, Select, Skeleton, Tabs } from 'antd'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import { AREAS_MOST, areasOf } from '@/kit/areaChoices'
import { LoadFailure } from '@/kit/LoadFailure'
import { BillingTab } from './BillingTab'
import { keepArea, rememberedArea } from './rememberedArea'
import { ReturnTab } from './ReturnTab'
import '@/kit/list/list.css'
import '@/kit/notice.css'
import './chargingConfig.css'

const AREA = 'opAreaId'
const TAB = 'tab'
const RETURN = 'return'

/** 计费配置: what rides cost and how they end, for each service area, in versions. */
export default function ChargingConfigPage() {
  const [params, setParams] = useSearchParams()
  const areas = useQuery(areasOf([]))
  const wanted = params.get(AREA) ?? rememberedArea()
  const area = areas.data?.find(({ id }) => id === wanted) ?? areas.data?.[0]
  const tab = params.get(TAB) === RETURN ? RETURN : 'billing'
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
    <section aria-labelledby="charging-title">
      <header className="list-head">
        <h1 id="charging-title">计费配置</h1>
        <p className="weak">每个服务区的价格和还车规则：先写草稿，试算和模拟后发布，每一版都留着，可以回滚。</p>
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
              activeKey={tab}
              onChange={(key) => go({ tab: key })}
              destroyOnHidden
              items={[
                { key: 'billing', label: '计费', children: <BillingTab area={area} /> },
                { key: RETURN, label: '还车', children: <ReturnTab area={area} /> },
              ]}
            />
          </>
        )}
      </div>
    </section>
  )
}
