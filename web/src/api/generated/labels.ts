/** Labels of the document's enums, made by `npm run api`; not to be edited. */
import type { components } from './openapi'

type Schemas = components['schemas']

/** 账户等级 */
export const accountLevelLabels = {
  1: '一级（平台）',
  2: '二级（加盟商）',
} as const satisfies Record<Schemas['AccountLevel'], string>

/** 账户状态 */
export const accountStateLabels = {
  0: '正常',
  1: '冻结',
  2: '拉黑',
  3: '注销中',
  4: '已注销',
} as const satisfies Record<Schemas['AccountState'], string>

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

/** 操作主体 */
export const actorKindLabels = {
  1: '用户',
  2: '运维',
  3: '后台',
  4: '系统',
  5: '设备',
} as const satisfies Record<Schemas['ActorKind'], string>

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

/** 异常类型 */
export const anomalyKindLabels = {
  1: '锁已关未结束',
  2: '设备长时间失联',
  3: '长时间未移动',
  4: '骑行时间过长',
} as const satisfies Record<Schemas['AnomalyKind'], string>

/** 处理状态 */
export const anomalyStateLabels = {
  0: '待处理',
  1: '已结束',
} as const satisfies Record<Schemas['AnomalyState'], string>

/** 复核状态 */
export const approvalStateLabels = {
  0: '待复核',
  1: '已同意',
  2: '已驳回',
  3: '已撤回',
  4: '已过期',
} as const satisfies Record<Schemas['ApprovalState'], string>

/** 服务区状态 */
export const areaStateLabels = {
  0: '筹备',
  1: '运营中',
  2: '暂停服务',
  3: '已关停',
} as const satisfies Record<Schemas['AreaState'], string>

/** 可见范围 */
export const audienceLabels = {
  1: '仅自己',
  2: '共享',
} as const satisfies Record<Schemas['Audience'], string>

/** 收银模式 */
export const billingWayLabels = {
  0: '自有商户收银',
  1: '平台收银（分账）',
} as const satisfies Record<Schemas['BillingWay'], string>

/** 来源 */
export const blacklistKindLabels = {
  1: '人工',
  2: '系统（信用分）',
  3: '举报',
} as const satisfies Record<Schemas['BlacklistKind'], string>

/** 范围 */
export const blacklistScopeLabels = {
  1: '本服务区',
  2: '本代理',
  3: '全平台',
} as const satisfies Record<Schemas['BlacklistScope'], string>

/** 状态 */
export const blacklistStateLabels = {
  0: '已解除',
  1: '生效中',
  2: '已到期',
} as const satisfies Record<Schemas['BlacklistState'], string>

/** AI 判定 */
export const cameraVerdictLabels = {
  0: '未判',
  1: '规范',
  2: '不规范',
  3: '不确定',
} as const satisfies Record<Schemas['CameraVerdict'], string>

/** 取消原因 */
export const cancelReasonLabels = {
  1: '用户取消',
  2: '预约超时',
  3: '开锁无应答',
  4: '开锁失败',
  5: '误开锁',
  6: '客服取消',
} as const satisfies Record<Schemas['CancelReason'], string>

/** 卡类型 */
export const cardKindLabels = {
  1: '时长卡',
  2: '里程卡',
  3: '减免卡',
  4: '次卡',
  5: '会员卡',
  6: '优惠卡',
} as const satisfies Record<Schemas['CardKind'], string>

/** 上架状态 */
export const cardProductStateLabels = {
  0: '停用',
  1: '启用',
  2: '删除',
} as const satisfies Record<Schemas['CardProductState'], string>

/** 银行卡状态 */
export const cardStateLabels = {
  0: '待验证',
  1: '已绑定',
  2: '验证失败',
  3: '解绑中',
  4: '已解绑',
} as const satisfies Record<Schemas['CardState'], string>

/** 认证类型 */
export const careerKindLabels = {
  1: '学生',
  2: '外卖',
  3: '教师',
  4: '医护',
  5: '军人/退役',
  6: '其他',
} as const satisfies Record<Schemas['CareerKind'], string>

/** 审核状态 */
export const caseStateLabels = {
  0: '待审核',
  1: '已通过',
  2: '未通过',
  3: '已取消',
} as const satisfies Record<Schemas['CaseState'], string>

/** 通道 */
export const channelLabels = {
  1: '网络',
} as const satisfies Record<Schemas['Channel'], string>

/** 电量水平 */
export const chargeLevelLabels = {
  1: '低电',
  2: '一般',
  3: '充足',
} as const satisfies Record<Schemas['ChargeLevel'], string>

/** 电芯 */
export const chemistryLabels = {
  1: '磷酸铁锂',
  2: '三元锂',
  3: '铅酸',
} as const satisfies Record<Schemas['Chemistry'], string>

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

/** 配置种类 */
export const configKindLabels = {
  1: '计费',
  2: '还车',
  3: '用车',
  4: '支付',
  5: '骑行资格',
  6: '告警',
} as const satisfies Record<Schemas['ConfigKind'], string>

/** 围栏下发状态 */
export const deliveryStateLabels = {
  0: '已确认',
  1: '等待下发',
  2: '未应答',
  3: '离线',
  4: '拒绝',
  5: '不上报围栏版本',
} as const satisfies Record<Schemas['DeliveryState'], string>

/** 押金状态 */
export const depositStateLabels = {
  0: '未缴',
  1: '已缴',
  2: '退款中',
  3: '已冻结',
  4: '已退',
} as const satisfies Record<Schemas['DepositState'], string>

/** 设备状态 */
export const deviceFlagLabels = {
  0: '车锁已关',
  1: '电门开',
  2: '已设防',
  3: '电池在位',
  4: '移动中',
  5: '头盔已锁',
  6: '后轮已锁',
  7: '电池仓已锁',
  8: '定位有效',
  9: '振动',
  10: '超载',
  11: '头盔不在位',
  12: '头盔锁故障',
} as const satisfies Record<Schemas['DeviceFlag'], string>

/** 设备类型 */
export const deviceKindLabels = {
  1: '浏览器',
  2: '安卓',
  3: '苹果',
} as const satisfies Record<Schemas['DeviceKind'], string>

/** 不能自动结束的原因 */
export const doubtLabels = {
  1: '没有可以确定的关锁时刻',
  2: '开锁后没有收到锁已打开的上报',
  3: '关锁前较长时间没有上报，时刻不确定',
  4: '开锁后没有收到车辆定位',
} as const satisfies Record<Schemas['Doubt'], string>

/** 校验效果 */
export const effectLabels = {
  0: '关',
  1: '提示',
  2: '强制',
} as const satisfies Record<Schemas['Effect'], string>

/** 结束方式 */
export const endKindLabels = {
  1: '用户还车',
  2: '超时自动还车',
  3: '出区断电还车',
  4: '客服结束',
  5: '设备锁车',
  6: '一键还车',
} as const satisfies Record<Schemas['EndKind'], string>

/** 还车证据 */
export const evidenceKindLabels = {
  1: '车辆定位',
  2: '手机位置',
  3: '蓝牙道钉',
  4: '射频识别',
  5: '停车方向',
  6: '脚撑',
  7: '摄像头',
  8: '头盔',
} as const satisfies Record<Schemas['EvidenceKind'], string>

/** 误报原因 */
export const falseAlarmCauseLabels = {
  1: '定位漂移',
  2: '传感器误报',
  3: '运维操作',
  4: '用户正常用车',
  5: '测试',
  9: '其他',
} as const satisfies Record<Schemas['FalseAlarmCause'], string>

/** 费用规则 */
export const fareRuleLabels = {
  1: '免费时长与里程内',
  2: '起步价',
  3: '时长费',
  4: '起步里程费',
  5: '里程费',
  6: '日封顶',
  7: '骑行卡抵扣',
  8: '免单',
  9: '折扣',
  10: '按优惠卡计费',
  20: '调度费（近）',
  21: '调度费（远）',
  22: '禁停区',
  23: '服务区外',
  24: '禁行区',
  25: '头盔未还',
  30: '超过单笔上限，待人工确认',
} as const satisfies Record<Schemas['FareRule'], string>

/** 围栏类型 */
export const fenceKindLabels = {
  2: '停车区',
  4: '禁停区',
  8: '运维区',
  9: '禁行区',
  10: '自定义区',
} as const satisfies Record<Schemas['FenceKind'], string>

/** 固件包状态 */
export const firmwareStateLabels = {
  0: '停用',
  1: '启用',
} as const satisfies Record<Schemas['FirmwareState'], string>

/** 加盟商状态 */
export const franchiseeStateLabels = {
  0: '洽谈',
  1: '合作中',
  2: '到期',
  3: '解约',
} as const satisfies Record<Schemas['FranchiseeState'], string>

/** 持卡状态 */
export const holdingStateLabels = {
  0: '未生效',
  1: '使用中',
  2: '已过期',
  3: '已退款',
  4: '已用完',
} as const satisfies Record<Schemas['HoldingState'], string>

/** 车辆操作 */
export const keepActLabels = {
  1: '上架',
  2: '下架',
  3: '入库',
  4: '返厂维修',
  5: '报失',
  6: '找回',
  7: '报废',
  8: '调往其他服务区',
  9: '设置标签',
  10: '绑定中控',
  11: '解绑中控',
  12: '设置电压方案',
} as const satisfies Record<Schemas['KeepAct'], string>

/** 附件类型 */
export const kindLabels = {
  1: 'JPEG 图片',
  2: 'PNG 图片',
  3: 'WebP 图片',
  4: 'PDF 文档',
} as const satisfies Record<Schemas['Kind'], string>

/** 站点等级 */
export const levelLabels = {
  0: '空',
  1: '偏少',
  2: '正常',
  3: '偏多',
  4: '淤积',
} as const satisfies Record<Schemas['Level'], string>

/** 事件 */
export const lifeEventLabels = {
  101: '登记车辆',
  102: '绑定中控',
  103: '解绑中控',
  104: '调往其他服务区',
  105: '设置标签',
  106: '设置电压方案',
  107: '固件变更',
  201: '车辆入库',
  202: '车辆上架',
  203: '车辆下架',
  204: '返厂维修',
  205: '车辆报失',
  206: '车辆找回',
  207: '车辆报废',
  301: '骑行状态变更',
  401: '开始运维',
  402: '结束运维',
  403: '电量过低',
  404: '电量恢复',
  501: '告警产生',
  502: '告警解除',
  503: '确认报警',
  504: '处理报警',
  505: '报警升级',
  601: '预约用车',
  602: '请求开锁',
  603: '开始骑行',
  604: '临时停车',
  605: '继续骑行',
  606: '还车',
  607: '取消订单',
  608: '按设备记录结束',
  701: '计费',
  702: '改价',
  703: '退款',
  704: '核销欠款',
  801: '下发指令',
  802: '指令成功',
  803: '指令失败',
  804: '指令超时',
  805: '迟到应答',
  806: '取消排队',
} as const satisfies Record<Schemas['LifeEvent'], string>

/** 事件类别 */
export const lifeGroupLabels = {
  1: '登记与绑定',
  2: '出入库与上下架',
  3: '骑行状态',
  4: '运维',
  5: '告警',
  6: '订单',
  7: '费用',
  8: '指令',
} as const satisfies Record<Schemas['LifeGroup'], string>

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

/** 退还结果 */
export const mispricedStateLabels = {
  0: '待退还',
  1: '已退还',
  2: '已变化，未处理',
  3: '失败',
  4: '少收，不追收',
} as const satisfies Record<Schemas['MispricedState'], string>

/** 处理状态 */
export const mispricingStateLabels = {
  0: '待退还',
  1: '退还中',
  2: '已完成',
  3: '已作废',
} as const satisfies Record<Schemas['MispricingState'], string>

/** 核对对象 */
export const mispricingSubjectLabels = {
  1: '计费版本',
  2: '围栏版本',
  3: '服务区边界版本',
} as const satisfies Record<Schemas['MispricingSubject'], string>

/** 环节 */
export const missActLabels = {
  1: '找车',
  2: '扫码',
  3: '预约',
  4: '开锁',
} as const satisfies Record<Schemas['MissAct'], string>

/** 丢单原因 */
export const missReasonLabels = {
  1: '电量不足',
  2: '车辆报修',
  3: '车辆离线',
  4: '车辆被预约',
  5: '车辆使用中',
  6: '车辆出服务区',
  7: '车辆运维中',
  8: '车辆告警',
  9: '车辆未上架',
  10: '服务区暂停服务',
  20: '用户未实名',
  21: '用户欠费',
  22: '用户被拉黑',
  23: '用户有未结束行程',
  24: '账户冻结或注销',
  25: '用户无骑行资格',
  26: '非本品牌用户',
  30: '车锁无应答',
  31: '车锁开锁失败',
  40: '300 米内无车可租',
  41: '车辆编号不存在',
  42: '系统暂不可用',
  43: '其他',
} as const satisfies Record<Schemas['MissReason'], string>

/** 变动类型 */
export const movementLabels = {
  1: '骑行费用',
  2: '支付骑行',
  3: '骑行退款',
  4: '费用下调',
  5: '欠款核销',
  6: '充值',
  7: '人工充值',
  8: '缴纳押金',
  9: '申请退款',
  10: '退款到账',
  11: '退款失败退回',
  12: '购卡',
  13: '购卡未成转余额',
  14: '退卡',
} as const satisfies Record<Schemas['Movement'], string>

/** 复核要求 */
export const needLabels = {
  0: '无需复核',
  1: '超过金额时复核',
  2: '每次复核',
} as const satisfies Record<Schemas['Need'], string>

/** 标称电压 */
export const nominalVoltsLabels = {
  48: '48 V',
  60: '60 V',
  72: '72 V',
} as const satisfies Record<Schemas['NominalVolts'], string>

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

/** 订单状态 */
export const payStateLabels = {
  0: '预约中',
  1: '骑行中',
  2: '费用确认中',
  3: '待支付',
  4: '已支付',
  5: '已取消',
  6: '已全额退款',
} as const satisfies Record<Schemas['PayState'], string>

/** 支付状态 */
export const paymentStateLabels = {
  0: '待支付',
  1: '已支付',
  2: '已拒绝',
  3: '已关闭',
} as const satisfies Record<Schemas['PaymentState'], string>

/** 工种 */
export const professionLabels = {
  1: '换电员',
  2: '挪车员',
  3: '维修员',
  4: '巡检员',
  5: '负责人',
} as const satisfies Record<Schemas['Profession'], string>

/** 骑行资格 */
export const qualificationLabels = {
  0: '一键免押',
  1: '诚信金',
  2: '会员卡',
  3: '职业认证',
  4: '微信支付分',
  5: '芝麻先享',
} as const satisfies Record<Schemas['Qualification'], string>

/** 换绑类型 */
export const rebindingKindLabels = {
  1: '手机号换绑',
  2: '身份证换绑',
} as const satisfies Record<Schemas['RebindingKind'], string>

/** 预充值对象 */
export const rechargeForLabels = {
  1: '全部用户',
  2: '新用户',
} as const satisfies Record<Schemas['RechargeFor'], string>

/** 退款方式 */
export const refundToLabels = {
  1: '退到钱包',
  2: '原路退回',
} as const satisfies Record<Schemas['RefundTo'], string>

/** 注册渠道 */
export const registerChannelLabels = {
  1: '微信小程序',
  2: '支付宝小程序',
  3: 'APP',
  4: 'H5',
} as const satisfies Record<Schemas['RegisterChannel'], string>

/** 提醒方式 */
export const remindWayLabels = {
  0: '系统',
  1: '短信',
  2: 'APP',
} as const satisfies Record<Schemas['RemindWay'], string>

/** 还车位置 */
export const returnClassLabels = {
  0: '规范停放',
  1: '站点外',
  2: '服务区外',
  3: '禁停区',
  4: '禁行区',
} as const satisfies Record<Schemas['ReturnClass'], string>

/** 申请原因 */
export const returnReviewReasonLabels = {
  1: '站点内误判',
  2: '满桩',
  3: '定位漂移',
  4: '道钉/RFID 未识别',
  5: '头盔已还',
  6: '其他',
} as const satisfies Record<Schemas['ReturnReviewReason'], string>

/** 来源 */
export const returnReviewSourceLabels = {
  1: '用户申请',
  2: '摄像头免罚',
  3: '系统待确认',
} as const satisfies Record<Schemas['ReturnReviewSource'], string>

/** 用户状态 */
export const riderStateLabels = {
  1: '未实名',
  2: '已实名',
  3: '可用车',
  4: '预约中',
  5: '临停',
  6: '骑行中',
  7: '待支付',
} as const satisfies Record<Schemas['RiderState'], string>

/** 骑行状态 */
export const ridingStateLabels = {
  1: '待使用',
  2: '骑行中',
  3: '临停',
  4: '预约中',
  5: '运维中',
} as const satisfies Record<Schemas['RidingState'], string>

/** 方案状态 */
export const schemeStateLabels = {
  0: '停用',
  1: '启用',
} as const satisfies Record<Schemas['SchemeState'], string>

/** 信号 */
export const signalLabels = {
  1: '强',
  2: '中',
  3: '弱',
  4: '未知',
} as const satisfies Record<Schemas['Signal'], string>

/** 扣款顺序 */
export const spendFirstLabels = {
  1: '先扣赠送',
  2: '先扣充值',
} as const satisfies Record<Schemas['SpendFirst'], string>

/** 日志类型 */
export const talkKindLabels = {
  1: '指令',
  2: '上下线',
  3: '定位上报',
  4: '状态上报',
} as const satisfies Record<Schemas['TalkKind'], string>

/** 报警单状态 */
export const ticketStateLabels = {
  0: '未处理',
  1: '处理中',
  2: '已恢复',
  3: '已处理',
  4: '误报',
} as const satisfies Record<Schemas['TicketState'], string>

/** 骑行超时处理 */
export const tooLongLabels = {
  1: '提醒',
  2: '临停',
  3: '还车',
} as const satisfies Record<Schemas['TooLong'], string>

/** 紧急程度 */
export const urgencyLabels = {
  1: '紧急',
  2: '重要',
  3: '一般',
} as const satisfies Record<Schemas['Urgency'], string>
