import { ConfigPage } from '../charging-config/ConfigPage'
import { AlarmTab } from './AlarmTab'

/** 系统配置: where alarms begin in each service area, in versions. */
export default function SystemConfigPage() {
  return (
    <ConfigPage
      title="系统配置"
      says="每个服务区从什么起算报警、多久无人确认就升级：先写草稿再发布，每一版都留着，可以回滚。"
      tabs={[{ key: 'alarm', label: '告警', of: (area) => <AlarmTab area={area} /> }]}
    />
  )
}
