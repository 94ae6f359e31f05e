import { Skeleton } from 'antd'
import { lazy, Suspense } from 'react'
import { api } from '@/api/client'
import { cameraVerdictLabels, caseStateLabels, returnClassLabels, returnReviewReasonLabels, returnReviewSourceLabels } from '@/api/generated/labels'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf } from '@/kit/choice'
import type { ListDescription } from '@/kit/list/description'
import { Money } from '@/kit/Money'
import { Photos } from '@/kit/Photos'
import type { CaseView, ReviewQueue } from '@/kit/review/review'
import { ReviewPage } from '@/kit/review/ReviewPage'
import { Time } from '@/kit/Time'
import { Evidence } from './Evidence'
import {
  formerOf,
  LIMIT_MS,
  loadReturnReview,
  metres,
  outcomeOf,
  PENDING,
  phrases,
  REASON_MAX,
  RETURN_REVIEW_PATH,
  type ReturnCase,
  type ReturnReview,
  returnPhoto,
  reviewState,
  titleOf,
} from './returnReview'
import './return-review.css'

const ReturnMap = lazy(() => import('./ReturnMap'))
const DECIDE_PATH = '/order/returnReview'

const list: ListDescription<ReturnReview> & { tabs: object } = {
  id: 'return-review',
  title: '还车审核',
  purpose: '还车地点不确定或用户有异议时，核对证据后决定是否收取调度费；30 分钟内无人审核则自动通过，不收费。',
  path: RETURN_REVIEW_PATH,
  exported: true,
  table: 'return_review',
  rowKey: (it) => it.id,
  emptyText: '没有待审核的还车',
  tabs: { name: 'state', label: '审核状态', options: optionsOf(caseStateLabels).filter(({ value }) => value !== '3') },
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '订单号、车辆编号或手机号' },
    { kind: 'select', name: 'source', label: '来源', options: optionsOf(returnReviewSourceLabels) },
    { kind: 'select', name: 'reason', label: '申请原因', options: optionsOf(returnReviewReasonLabels) },
    { kind: 'select', name: 'class', label: '还车位置', options: optionsOf(returnClassLabels) },
    { kind: 'select', name: 'waitedMin', label: '等待时长', options: [5, 10, 20].map((minutes) => ({ value: String(minutes), label: `${minutes} 分钟以上` })) },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '申请时间' },
  ],
  columns: [
    { key: 'orderId', title: '订单号', text: (it) => it.orderId },
    { key: 'carId', title: '车辆编号', strong: true, text: (it) => it.carId },
    { kind: 'phone', key: 'phone', title: '手机号', value: (it) => it.phone },
    { key: 'areaName', title: '服务区', text: (it) => it.areaName },
    { key: 'source', title: '来源', text: (it) => labelOf(returnReviewSourceLabels, it.source) },
    { key: 'class', title: '还车位置', text: (it) => (typeof it.class === 'number' ? labelOf(returnClassLabels, it.class) : '') },
    { kind: 'choice', key: 'state', title: '审核状态', value: (it) => reviewState(it.state) },
    { kind: 'money', key: 'applyCents', title: '涉及金额（元）', value: (it) => it.applyCents },
    { kind: 'time', key: 'openedAt', title: '申请时间', value: (it) => it.openedAt },
    { key: 'reviewer', title: '审核人', text: (it) => it.reviewer },
    { kind: 'time', key: 'decidedAt', title: '审核时间', value: (it) => it.decidedAt },
  ],
}

const queue: ReviewQueue<ReturnReview> = {
  list,
  waiting: String(PENDING),
  oldestFirst: 'openedAt',
  limit_ms: LIMIT_MS,
  entry: (it) => ({
    title: titleOf(it),
    lines: [
      <>
        {typeof it.class === 'number' ? labelOf(returnClassLabels, it.class) : ''} · 距站点 {metres(it.parkingM)} · <Money cents={it.applyCents} /> 元
      </>,
      `${it.phone || '已注销'} · ${it.areaName ?? ''}`,
    ],
    state: reviewState(it.state),
    since_ms: it.openedAt,
    waits: it.state === PENDING,
  }),
}

const view: CaseView<ReturnCase> = {
  category: 'return-review',
  words: { untitled: '还车审核', failure: '还车审核加载失败', subject: '这次还车', main: '证据' },
  overtaken: ['return-review-not-now'],
  load: loadReturnReview,
  title: titleOf,
  outcome: outcomeOf,
  facts: (it) => [
    { name: '涉及金额（元）', value: <Money cents={it.applyCents} /> },
    { name: '还车位置', value: typeof it.class === 'number' ? labelOf(returnClassLabels, it.class) : '--' },
    { name: '距站点', value: metres(it.parkingM) },
    { name: '来源', value: labelOf(returnReviewSourceLabels, it.source) },
    ...(typeof it.reason === 'number' ? [{ name: '申请原因', value: labelOf(returnReviewReasonLabels, it.reason) }] : []),
    { name: '还车时间', value: <Time at={it.endedAt} /> },
    { name: '申请时间', value: <Time at={it.openedAt} /> },
    { name: 'AI 判定', value: labelOf(cameraVerdictLabels, it.aiResult) },
    { name: '用户', value: `${it.name ?? ''} ${it.phone ?? '已注销'}` },
    { name: '用户的其他申请', value: formerOf(it.former) },
    ...(typeof it.impunityLeft === 'number' ? [{ name: '剩余免罚次数', value: `${it.impunityLeft} 次` }] : []),
    { name: '订单号', value: <span className="figure">{it.orderId}</span> },
    { name: '服务区', value: it.areaName ?? '' },
    ...(it.seen.reasons.length === 0 ? [] : [{ name: '判定理由', value: it.seen.reasons.join('；'), whole: true }]),
    ...(it.remark ? [{ name: '处理意见', value: it.remark, whole: true }] : []),
  ],
  decisions: (it) => {
    const unavailable = it.state === PENDING ? undefined : `审核${caseStateLabels[it.state]}`
    const { id, version } = it
    return [
      {
        key: 'pass',
        label: '通过',
        hotkey: 'a',
        primary: true,
        unavailable,
        send: (_, options) => api.post(DECIDE_PATH, { id, version, result: 'accept', remark: '' }, options),
      },
      {
        key: 'fail',
        label: '驳回',
        hotkey: 'r',
        danger: true,
        unavailable,
        reason: { label: '驳回原因', max: REASON_MAX, phrases, consequence: '将按还车位置收取费用，用户会看到原因。' },
        send: (remark, options) => api.post(DECIDE_PATH, { id, version, result: 'reject', remark }, options),
      },
    ]
  },
  children: (_, it) => (
    <>
      <Suspense fallback={<Skeleton.Node active className="return-map-wait" />}>
        <ReturnMap it={it} />
      </Suspense>
      <Evidence parts={it.seen.parts} certainty_percent={it.certaintyPercent} />
      <h3>照片</h3>
      <Photos
        photos={it.photos.map((photo, index) => ({ id: photo.id, name: `还车照片 ${index + 1}` }))}
        of={[RETURN_REVIEW_PATH, it.id]}
        load={(photoId, signal) => returnPhoto(it.id, photoId, signal)}
        none={it.photosGone ? '照片已在审核结束 30 天后删除' : it.source === 1 ? '照片已不在' : '用户没有提交照片'}
      />
    </>
  ),
}

/** 还车审核. */
export default function ReturnReviewPage() {
  return <ReviewPage queue={queue} view={view} />
}
