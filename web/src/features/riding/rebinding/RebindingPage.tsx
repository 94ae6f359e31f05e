import { ArrowRightOutlined } from '@ant-design/icons'
import { api, command } from '@/api/client'
import { caseStateLabels, rebindingKindLabels } from '@/api/generated/labels'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf } from '@/kit/choice'
import { EMPTY } from '@/kit/format'
import { Photos } from '@/kit/Photos'
import type { CaseView, QueueDescription, ReviewQueue } from '@/kit/review/review'
import { ReviewPage } from '@/kit/review/ReviewPage'
import { Time } from '@/kit/Time'
import { Unmasked } from '../Unmasked'
import {
  caseState,
  changeOf,
  LIMIT_MS,
  loadRebinding,
  outcomeOf,
  PENDING,
  phrases,
  REASON_MAX,
  type Rebinding,
  REBINDING_PATH,
  rebindingPhoto,
  titleOf,
} from './rebinding'

const REVIEW_PATH = '/user/rebind/review'

const list: QueueDescription<Rebinding> = {
  id: 'rebinding',
  title: '实名换绑列表',
  purpose: '用户换手机号或更正实名信息；通过后账户不变，钱包、卡和押金仍归本人。有进行中的订单时不能通过。',
  path: REBINDING_PATH,
  exported: true,
  table: 'rebinding',
  rowKey: (it) => it.id,
  emptyText: '没有待审核的换绑申请',
  tabs: { name: 'state', label: '审核状态', options: optionsOf(caseStateLabels) },
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '原手机号、新手机号或姓名' },
    { kind: 'select', name: 'kind', label: '类型', options: optionsOf(rebindingKindLabels) },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '提交时间' },
  ],
  columns: [
    { key: 'nameMasked', title: '姓名', strong: true, text: (it) => it.nameMasked },
    { key: 'kind', title: '换绑类型', text: (it) => labelOf(rebindingKindLabels, it.kind) },
    { kind: 'phone', key: 'phoneMasked', title: '原手机号', value: (it) => it.phoneMasked },
    { kind: 'phone', key: 'wantedPhoneMasked', title: '申请手机号', value: (it) => it.wantedPhoneMasked },
    { key: 'idNoMasked', title: '原身份证号', text: (it) => it.idNoMasked },
    { key: 'wantedIdNoMasked', title: '申请身份证号', text: (it) => it.wantedIdNoMasked },
    { kind: 'choice', key: 'state', title: '状态', value: (it) => caseState(it.state) },
    { kind: 'time', key: 'createdAt', title: '提交时间', value: (it) => it.createdAt },
    { key: 'areaName', title: '服务区', text: (it) => it.areaName },
    { key: 'reviewer', title: '审核人', text: (it) => it.reviewer },
    { kind: 'time', key: 'dealAt', title: '审核时间', value: (it) => it.dealAt },
    { key: 'reason', title: '驳回原因', text: (it) => it.reason },
    { key: 'userId', title: '用户编号', text: (it) => it.userId },
  ],
}

const queue: ReviewQueue<Rebinding> = {
  list,
  waiting: String(PENDING),
  oldestFirst: 'createdAt',
  limit_ms: LIMIT_MS,
  entry: (it) => ({
    title: titleOf(it),
    lines: [changeOf(it).map(({ before, after }) => `${before || EMPTY} → ${after || EMPTY}`).join('；'), it.areaName ?? ''],
    state: caseState(it.state),
    since_ms: it.createdAt,
    waits: it.state === PENDING,
  }),
}

const view: CaseView<Rebinding> = {
  category: 'rebinding',
  words: { untitled: '实名换绑', failure: '换绑申请加载失败', subject: '这个申请', main: '证件' },
  overtaken: ['rebinding-not-now'],
  load: loadRebinding,
  title: titleOf,
  outcome: outcomeOf,
  above: (it) => <Change it={it} />,
  facts: (it) => [
    { name: '服务区', value: it.areaName ?? '' },
    { name: '提交时间', value: <Time at={it.createdAt} /> },
    { name: '用户编号', value: <span className="figure">{it.userId}</span> },
    {
      name: '本人 · 手机号 · 身份证号 · 申请',
      whole: true,
      value: (
        <Unmasked
          key={it.id}
          of={titleOf(it)}
          masked={[it.nameMasked, it.phoneMasked, it.idNoMasked, [it.wantedPhoneMasked, it.wantedNameMasked, it.wantedIdNoMasked].filter(Boolean).join(' ')]}
          reveal={(options) =>
            command
              .post('/user/rebind/unmask')({ id: it.id }, options)
              .then(({ name, phone, idNo, wantedPhone, wantedName, wantedIdNo }) => [name, phone, idNo, [wantedPhone, wantedName, wantedIdNo].filter(Boolean).join(' ')])
          }
        />
      ),
    },
    ...(it.reason ? [{ name: '驳回原因', value: it.reason, whole: true }] : []),
  ],
  decisions: ({ id, version, state }) => {
    const unavailable = state === PENDING ? undefined : `申请${caseStateLabels[state]}`
    return [
      {
        key: 'pass',
        label: '通过',
        hotkey: 'a',
        primary: true,
        unavailable,
        send: (_, options) => api.post(REVIEW_PATH, { id, version, result: 'accept', remark: '' }, options),
      },
      {
        key: 'fail',
        label: '驳回',
        hotkey: 'r',
        danger: true,
        unavailable,
        reason: { label: '驳回原因', max: REASON_MAX, phrases, consequence: '用户会看到原因，修改后可以重新提交。' },
        send: (remark, options) => api.post(REVIEW_PATH, { id, version, result: 'reject', remark }, options),
      },
    ]
  },
  children: (_, it) => (
    <>
      <h3>证件照</h3>
      <Photos
        photos={it.photos.map((photo, index) => ({ id: photo.id, name: ['证件正面', '证件反面', '手持证件'][index] ?? `证件照 ${index + 1}` }))}
        of={[REBINDING_PATH, it.id]}
        load={(photoId, signal) => rebindingPhoto(it.id, photoId, signal)}
        none={it.photosGone ? '证件照已在审核结束 30 天后删除' : '证件照已不在'}
      />
    </>
  ),
}

/** What it was and what it shall be, side by side. */
function Change({ it }: { it: Rebinding }) {
  const side = (name: string, of: 'before' | 'after') => (
    <div role="group" aria-label={name}>
      <strong>{name}</strong>
      <dl>
        {changeOf(it).map(({ label, ...values }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="figure">{values[of] || EMPTY}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
  return (
    <div className="rebinding-change">
      {side('现在', 'before')}
      <ArrowRightOutlined aria-hidden />
      {side('通过后', 'after')}
    </div>
  )
}

/** 实名换绑列表. */
export default function RebindingPage() {
  return <ReviewPage queue={queue} view={view} />
}
