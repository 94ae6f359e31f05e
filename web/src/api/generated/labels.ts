/** Labels of the document's enums, made by `npm run api`; not to be edited. */
import type { components } from './openapi'

type Schemas = components['schemas']

/** 账户等级 */
export const accountLevelLabels = {
  1: '一级（平台）',
  2: '二级（加盟商）',
} as const satisfies Record<Schemas['AccountLevel'], string>

/** 账户状态 */
export const accountStatusLabels = {
  0: '未开户',
  1: '审核中',
  2: '正常',
  3: '开户失败',
  4: '冻结',
  5: '销户',
} as const satisfies Record<Schemas['AccountStatus'], string>

/** 账户类型 */
export const accountTypeLabels = {
  0: '个人',
  1: '企业',
  2: '个体户',
} as const satisfies Record<Schemas['AccountType'], string>

/** 告警 */
export const alarmStateLabels = {
  2: '异常移动',
  3: '出服务区',
  4: '禁停区',
  5: '站点外',
  6: '电瓶移除',
  7: '异常离线',
  8: '有单无程',
  9: '报失',
  10: '订单超长',
  11: '短时订单',
  12: '异常开锁',
  13: '头盔丢失',
  14: '头盔故障',
} as const satisfies Record<Schemas['AlarmState'], string>

/** 服务区状态 */
export const areaStateLabels = {
  0: '筹备',
  1: '运营中',
  2: '暂停服务',
  3: '已关停',
} as const satisfies Record<Schemas['AreaState'], string>

/** 收银模式 */
export const billingWayLabels = {
  0: '自有商户收银',
  1: '平台收银（分账）',
} as const satisfies Record<Schemas['BillingWay'], string>

/** 银行卡状态 */
export const cardStateLabels = {
  0: '待验证',
  1: '已绑定',
  2: '验证失败',
  3: '解绑中',
  4: '已解绑',
} as const satisfies Record<Schemas['CardState'], string>

/** 指令 */
export const commandKindLabels = {
  1: '开锁',
  2: '关锁',
  3: '设防',
  4: '撤防',
  5: '电门开',
  6: '电门关',
  7: '后轮锁',
  8: '电池仓',
  9: '头盔锁',
  10: '寻车铃',
  11: '语音',
  12: '重启',
  13: '限速',
  14: '参数',
  15: '围栏下发',
  16: '固件',
  17: '语音包',
  18: '临时通电',
} as const satisfies Record<Schemas['CommandKind'], string>

/** 指令状态 */
export const commandStateLabels = {
  0: '待发',
  1: '已发',
  2: '成功',
  3: '失败',
  4: '超时',
  5: '已取消',
} as const satisfies Record<Schemas['CommandState'], string>

/** 围栏下发状态 */
export const deliveryStateLabels = {
  0: '已确认',
  1: '等待下发',
  2: '未应答',
  3: '离线',
  4: '拒绝',
  5: '不上报围栏版本',
} as const satisfies Record<Schemas['DeliveryState'], string>

/** 设备类型 */
export const deviceKindLabels = {
  1: '浏览器',
  2: '安卓',
  3: '苹果',
} as const satisfies Record<Schemas['DeviceKind'], string>

/** 加盟商状态 */
export const franchiseeStateLabels = {
  0: '洽谈',
  1: '合作中',
  2: '到期',
  3: '解约',
} as const satisfies Record<Schemas['FranchiseeState'], string>

/** 附件类型 */
export const kindLabels = {
  1: 'JPEG 图片',
  2: 'PNG 图片',
  3: 'WebP 图片',
  4: 'PDF 文档',
} as const satisfies Record<Schemas['Kind'], string>

/** 生命周期 */
export const lifecycleLabels = {
  0: '待入库',
  1: '在库',
  2: '已上架',
  3: '已下架',
  4: '返厂维修',
  5: '丢失',
  6: '报废',
} as const satisfies Record<Schemas['Lifecycle'], string>

/** 运维状态 */
export const operationStateLabels = {
  1: '下架',
  2: '挪车中',
  3: '换电中',
  4: '低电',
  5: '报修',
  6: '拖回',
} as const satisfies Record<Schemas['OperationState'], string>

/** 申请状态 */
export const parkApplicationStateLabels = {
  0: '待处理',
  1: '已通过',
  2: '已驳回',
  3: '已建站',
} as const satisfies Record<Schemas['ParkApplicationState'], string>

/** 工种 */
export const professionLabels = {
  1: '换电员',
  2: '挪车员',
  3: '维修员',
  4: '巡检员',
  5: '负责人',
} as const satisfies Record<Schemas['Profession'], string>

/** 骑行状态 */
export const ridingStateLabels = {
  1: '待使用',
  2: '骑行中',
  3: '临停',
  4: '预约中',
  5: '运维中',
} as const satisfies Record<Schemas['RidingState'], string>
