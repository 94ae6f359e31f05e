import { parkApplicationStateLabels } from '@/api/generated/labels'
import { areaChoices } from '@/kit/areaChoices'
import { optionsOf } from '@/kit/choice'
import type { ListDescription } from '@/kit/list/description'
import { applicationState, PARK_APPLICATION_PATH, type ParkApplication } from './parkApplication'

/** The list of station applications. */
export const applicationList: ListDescription<ParkApplication> = {
  id: 'park-application',
  title: '站点申请管理',
  purpose: '用户在找不到停车点的地方申请建站；50 米、30 天内的重复申请算作附议。通过后画出停车区即为建站。',
  path: PARK_APPLICATION_PATH,
  exported: true,
  table: 'park_application',
  rowKey: (application) => application.id,
  emptyText: '还没有站点申请；用户在小程序里提交后会出现在这里',
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '地址、手机号或其后四位' },
    { kind: 'select', name: 'state', label: '状态', options: optionsOf(parkApplicationStateLabels) },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '申请时间' },
  ],
  columns: [
    { key: 'location', title: '地址', width: 210, strong: true, text: (application) => application.location },
    { kind: 'choice', key: 'state', title: '状态', width: 92, value: (application) => applicationState(application.state) },
    { kind: 'count', key: 'votes', title: '票数', width: 72, value: (application) => application.votes },
    { kind: 'time', key: 'createdAt', title: '申请时间', value: (application) => application.createdAt },
    { key: 'areaName', title: '服务区', width: 140, text: (application) => application.areaName },
    { kind: 'phone', key: 'applicantPhone', title: '申请人', none: '已注销', value: (application) => application.applicantPhone },
    { kind: 'count', key: 'photos', title: '照片', width: 72, value: (application) => application.photos.length },
    { key: 'reviewer', title: '处理人', width: 90, text: (application) => application.reviewer },
    { kind: 'time', key: 'dealAt', title: '处理时间', value: (application) => application.dealAt },
    { key: 'reviewRemark', title: '处理意见', width: 160, optional: true, text: (application) => application.reviewRemark },
    { key: 'parkingName', title: '站点', width: 150, optional: true, text: (application) => application.parkingName },
    { key: 'remark', title: '申请说明', width: 200, optional: true, text: (application) => application.remark },
    { key: 'id', title: '申请编号', width: 170, optional: true, text: (application) => application.id },
  ],
}
