import { BillingTab } from './BillingTab'
import { ConfigPage } from './ConfigPage'
import { ReturnTab } from './ReturnTab'

/** 计费配置: what rides cost and how they end, for each service area, in versions. */
export default function ChargingConfigPage() {
  return (
    <ConfigPage
      title="计费配置"
      says="每个服务区的价格和还车规则：先写草稿，试算和模拟后发布，每一版都留着，可以回滚。"
      tabs={[
        { key: 'billing', label: '计费', of: (area) => <BillingTab area={area} /> },
        { key: 'return', label: '还车', of: (area) => <ReturnTab area={area} /> },
      ]}
    />
  )
}
