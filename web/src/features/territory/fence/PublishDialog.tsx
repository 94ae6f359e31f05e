import { command } from '@/api/client'
import { useCommand } from '@/kit/useCommand'
import { PublishVersion } from '@/kit/versions/PublishVersion'
import { type Fence, stale, typeLabels } from './fence'
import { asked, useOverlapAsked } from './overlap'
import { PreviewTable } from './PreviewTable'

/** Asks from when a draft is to count, and whether it ends by itself. */
export function PublishDialog({ fence, onClose }: { fence: Fence; onClose(): void }) {
  const { id, version, type, name, dataVersion } = fence
  const publish = useCommand({ run: useOverlapAsked(command.post('/fence/publish')), stale, done: '围栏已发布', fieldOf: asked })
  const judges = type !== 'maintain' && type !== 'custom'
  return (
    <PublishVersion
      title={`发布${typeLabels[type]}「${name}」`}
      simulation={judges && <PreviewTable fence={fence} />}
      ending="临时围栏到时自动失效；留空则一直有效"
      publishing={publish.isPending}
      onPublish={({ from, until }) => void publish.mutateAsync({ id, version, from, until }).then(onClose, () => undefined)}
      onClose={onClose}
    >
      发布后成为第 {dataVersion + 1} 版，从生效时间起{type === 'maintain' ? '按新边界划分站点和车辆。' : '按新边界判断还车；此前的还车仍按当时的版本判断。'}
    </PublishVersion>
  )
}
