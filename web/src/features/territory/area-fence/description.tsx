import { areaStateLabels } from '@/api/generated/labels'
import { optionsOf } from '@/kit/choice'
import type { FilterOption, ListDescription } from '@/kit/list/description'
import { areaState } from '../area/area'
import { DeliveryLine } from '../delivery/DeliveryLine'
import { AREA_FENCE_PATH, type AreaFence, formatKm2 } from './areaFence'

/** The list of areas with their edges; `agents` fill the filter. */
export function areaFenceList(agents: readonly FilterOption[]): ListDescription<AreaFence> {
  return {
    id: 'service-area-fence',
    title: '服务区围栏',
    purpose: '服务区的边界决定在哪里可以用车和还车；新边界保存后立即生效，每一版都保留，随时可以回滚。',
    path: AREA_FENCE_PATH,
    exported: true,
    table: 'area',
    rowKey: (area) => area.id,
    emptyText: '还没有服务区，先在地图上画第一个',
    filters: [
      { kind: 'text', name: 'keyword', label: '关键词', placeholder: '服务区名称或客服电话' },
      { kind: 'select', name: 'agentId', label: '代理', options: agents },
      { kind: 'select', name: 'state', label: '状态', options: optionsOf(areaStateLabels) },
    ],
    columns: [
      { key: 'name', title: '服务区', width: 160, strong: true, text: (area) => area.name },
      { kind: 'choice', key: 'state', title: '状态', width: 104, value: (area) => areaState(area.state) },
      { key: 'delivery', title: '下发进度', width: 220, unexported: true, text: () => null, render: (area) => <DeliveryLine areaId={area.id} /> },
      { key: 'company', title: '运营代理', width: 150, text: (area) => area.company },
      { kind: 'count', key: 'dataVersion', title: '边界版本', value: (area) => area.dataVersion },
      { key: 'areaM2', title: '面积', width: 110, align: 'right', text: (area) => formatKm2(area.areaM2) },
      { kind: 'count', key: 'corners', title: '顶点', value: (area) => area.corners },
      { kind: 'count', key: 'fenceCount', title: '围栏', value: (area) => area.fenceCount },
      { key: 'outsideCount', title: '界外围栏', width: 96, align: 'right', text: (area) => (area.outsideCount > 0 ? `${area.outsideCount} 个` : '无') },
      { kind: 'time', key: 'edgeAt', title: '边界生效时间', value: (area) => area.edgeAt },
      { kind: 'time', key: 'updatedAt', title: '更新时间', value: (area) => area.updatedAt },
      { key: 'tel', title: '客服电话', width: 140, optional: true, text: (area) => area.tel },
      { key: 'id', title: '服务区编号', width: 170, optional: true, text: (area) => area.id },
    ],
  }
}
