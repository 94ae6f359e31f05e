import type { FilterOption, ListDescription } from '@/kit/list/description'
import { areaStateLabels } from '@/api/generated/labels'
import { optionsOf } from '@/kit/choice'
import { type Area, AREA_PATH, areaState } from './area'

/** The list of areas; `agents` fill the filter. */
export function areaList(agents: readonly FilterOption[]): ListDescription<Area> {
  return {
    id: 'service-area',
    title: '服务区管理',
    purpose: '服务区决定骑行用户在哪里可以用车、归哪家代理运营；开通、暂停和关停立即生效。',
    path: AREA_PATH,
    exported: true,
    table: 'area',
    rowKey: (area) => area.id,
    emptyText: '还没有服务区；在“运营配置 · 服务区围栏”划定边界后会出现在这里',
    filters: [
      { kind: 'text', name: 'keyword', label: '关键词', placeholder: '服务区名称或客服电话' },
      { kind: 'select', name: 'agentId', label: '代理', options: agents },
      {
        kind: 'select',
        name: 'state',
        label: '状态',
        options: optionsOf(areaStateLabels),
      },
    ],
    columns: [
      { key: 'name', title: '服务区', width: 170, strong: true, text: (area) => area.name },
      { kind: 'choice', key: 'state', title: '状态', width: 104, value: (area) => areaState(area.state) },
      { key: 'company', title: '运营代理', width: 200, text: (area) => area.company },
      { kind: 'count', key: 'vehicleCount', title: '车辆', value: (area) => area.vehicleCount },
      { key: 'vehicleQuota', title: '投放配额', width: 100, align: 'right', text: (area) => area.vehicleQuota?.toLocaleString() ?? '不限' },
      { kind: 'count', key: 'parkingCount', title: '停车区', value: (area) => area.parkingCount },
      { key: 'tel', title: '客服电话', width: 140, text: (area) => area.tel },
      { key: 'notice', title: '停运公告', width: 180, text: (area) => area.notice },
      { kind: 'time', key: 'stopBeginAt', title: '停运开始', optional: true, value: (area) => area.stopBeginAt },
      { kind: 'time', key: 'stopEndAt', title: '自动恢复', none: '--', value: (area) => area.stopEndAt },
      { key: 'cityCode', title: '城市代码', width: 96, optional: true, text: (area) => area.cityCode },
      { key: 'supervisionIds', title: '监管平台编号', width: 150, optional: true, text: (area) => area.supervisionIds.join('、') },
      { key: 'takesApplications', title: '站点申请', width: 96, optional: true, text: (area) => (area.takesApplications ? '接受' : '不接受') },
      { kind: 'time', key: 'updatedAt', title: '更新时间', value: (area) => area.updatedAt },
      { kind: 'time', key: 'createdAt', title: '创建时间', optional: true, value: (area) => area.createdAt },
      { key: 'id', title: '服务区编号', width: 170, optional: true, text: (area) => area.id },
    ],
  }
}
