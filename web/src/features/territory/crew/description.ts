import type { FilterOption, ListDescription } from '@/kit/list/description'
import { formatArea, stageOf } from '../fence/fence'
import { CREW_PATH, type MaintenanceArea, names, peopleOf, posts, slaText } from './crew'

/** The list of maintenance areas; `areas` fill the filter, and where their edges stand is told as of `at_ms`. */
export function crewList(areas: readonly FilterOption[], at_ms: number): ListDescription<MaintenanceArea> {
  return {
    id: 'maintenance-area',
    title: '区域管理',
    purpose: '运维区把服务区分给各组人员：谁负责、谁巡检、换电、挪车和维修，多久之内完成；人员立即生效，边界发布后生效。',
    path: CREW_PATH,
    exported: true,
    table: 'fence',
    rowKey: (area) => area.id,
    emptyText: '还没有运维区，先在地图上画第一个并选择负责人',
    filters: [
      { kind: 'text', name: 'keyword', label: '关键词', placeholder: '名称' },
      { kind: 'select', name: 'opAreaId', label: '服务区', options: areas },
      { kind: 'search', name: 'personId', label: '人员', placeholder: '姓名或手机号', choices: peopleOf() },
    ],
    columns: [
      { key: 'name', title: '名称', width: 150, strong: true, text: (area) => area.name },
      { kind: 'choice', key: 'state', title: '状态', width: 96, value: (area) => stageOf(area, at_ms) },
      { key: 'areaName', title: '服务区', width: 140, text: (area) => area.areaName },
      { key: 'leaders', title: '负责人', width: 140, text: (area) => names(area.leaders) },
      ...posts.slice(1).map(({ key, label }) => ({ kind: 'count' as const, key, title: label.slice(0, 2), width: 64, value: (area: MaintenanceArea) => area[key].length })),
      { kind: 'count', key: 'stationCount', title: '站点', width: 72, value: (area) => area.stationCount },
      { kind: 'count', key: 'vehicleCount', title: '车辆', width: 72, value: (area) => area.vehicleCount },
      { key: 'sla', title: '时限', width: 220, text: (area) => slaText(area.kpi) },
      { kind: 'time', key: 'updatedAt', title: '更新时间', value: (area) => area.updatedAt },
      { kind: 'count', key: 'maxParkingNumber', title: '停放上限', optional: true, none: '不限', value: (area) => area.maxParkingNumber || null },
      { key: 'areaM2', title: '面积', width: 110, align: 'right', optional: true, text: (area) => formatArea(area.areaM2) },
      { key: 'tags', title: '标签', width: 130, optional: true, text: (area) => area.tags.join('、') },
      { key: 'remark', title: '备注', width: 160, optional: true, text: (area) => area.remark },
      { key: 'id', title: '运维区编号', width: 170, optional: true, text: (area) => area.id },
    ],
  }
}
