import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import { useState } from 'react'
import { api, command } from '@/api/client'
import { serverNow } from '@/api/clock'
import { careerKindLabels, caseStateLabels } from '@/api/generated/labels'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf } from '@/kit/choice'
import { Photos } from '@/kit/Photos'
import type { CaseView, QueueDescription, ReviewQueue } from '@/kit/review/review'
import { ReviewPage } from '@/kit/review/ReviewPage'
import { Time } from '@/kit/Time'
import { Unmasked } from '../Unmasked'
import {
  caseState,
  CERTIFICATION_PATH,
  type Certification,
  certificationPhoto,
  lastDayOf,
  LIMIT_MS,
  loadCertification,
  outcomeOf,
  PENDING,
  phrases,
  REASON_MAX,
  titleOf,
} from './certification'

const REVIEW_PATH = '/user/occupation/review'
const DAY = 'YYYY-MM-DD'

const list: QueueDescription<Certification> = {
  id: 'certification',
  title: '职业认证列表',
  purpose: '学生、外卖等用户提交证件申请骑行资格；通过后在有效期内免押骑行，证件照在审核结束 30 天后删除。',
  path: CERTIFICATION_PATH,
  exported: true,
  table: 'certification',
  rowKey: (it) => it.id,
  emptyText: '没有待审核的职业认证',
  tabs: { name: 'state', label: '审核状态', options: optionsOf(caseStateLabels) },
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '手机号、姓名、学校或单位' },
    { kind: 'select', name: 'kind', label: '类型', options: optionsOf(careerKindLabels) },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '提交时间' },
  ],
  columns: [
    { key: 'nameMasked', title: '姓名', strong: true, text: (it) => it.nameMasked },
    { kind: 'phone', key: 'phoneMasked', title: '手机号', value: (it) => it.phoneMasked },
    { key: 'kind', title: '认证类型', text: (it) => labelOf(careerKindLabels, it.kind) },
    { key: 'organisation', title: '学校/单位', text: (it) => it.organisation },
    { kind: 'choice', key: 'state', title: '状态', value: (it) => caseState(it.state) },
    { kind: 'time', key: 'createdAt', title: '提交时间', value: (it) => it.createdAt },
    { key: 'areaName', title: '服务区', text: (it) => it.areaName },
    { key: 'reviewer', title: '审核人', text: (it) => it.reviewer },
    { kind: 'time', key: 'dealAt', title: '审核时间', value: (it) => it.dealAt },
    { kind: 'time', key: 'validUntil', title: '有效期至', value: (it) => it.validUntil },
    { key: 'reason', title: '驳回原因', text: (it) => it.reason },
    { key: 'userId', title: '用户编号', text: (it) => it.userId },
  ],
}

const queue: ReviewQueue<Certification> = {
  list,
  waiting: String(PENDING),
  oldestFirst: 'createdAt',
  limit_ms: LIMIT_MS,
  entry: (it) => ({
    title: titleOf(it),
    lines: [it.organisation, `${it.phoneMasked || '已注销'} · ${it.areaName ?? ''}`],
    state: caseState(it.state),
    since_ms: it.createdAt,
    waits: it.state === PENDING,
  }),
}

/** 职业认证列表. */
export default function CertificationPage() {
  // The last day that the reviewer chose, by the case; of others the one that is proposed.
  const [days, setDays] = useState<Readonly<Record<string, string>>>({})
  const dayOf = ({ id, kind }: Certification) => days[id] ?? lastDayOf(kind)
  const view: CaseView<Certification> = {
    category: 'certification',
    words: { untitled: '职业认证', failure: '职业认证加载失败', subject: '这个申请', main: '证件' },
    overtaken: ['certification-not-now'],
    load: loadCertification,
    title: titleOf,
    outcome: outcomeOf,
    facts: (it) => [
      { name: '认证类型', value: labelOf(careerKindLabels, it.kind) },
      { name: '学校/单位', value: it.organisation },
      { name: '服务区', value: it.areaName ?? '' },
      { name: '提交时间', value: <Time at={it.createdAt} /> },
      { name: '用户编号', value: <span className="figure">{it.userId}</span> },
      ...(it.validUntil === null ? [] : [{ name: '有效期至', value: <Time at={it.validUntil} /> }]),
      {
        name: '姓名 · 手机号 · 证件编号',
        whole: true,
        value: (
          <Unmasked
            key={it.id}
            of={titleOf(it)}
            masked={[it.nameMasked, it.phoneMasked, it.certNoMasked]}
            reveal={(options) => command.post('/user/occupation/unmask')({ id: it.id }, options).then(({ name, phone, certNo }) => [name, phone, certNo])}
          />
        ),
      },
      ...(it.reason ? [{ name: '驳回原因', value: it.reason, whole: true }] : []),
    ],
    decisions: (it) => {
      const unavailable = it.state === PENDING ? undefined : `申请${caseStateLabels[it.state]}`
      const { id, version } = it
      return [
        {
          key: 'pass',
          label: '通过',
          hotkey: 'a',
          primary: true,
          unavailable,
          send: (_, options) => api.post(REVIEW_PATH, { id, version, result: 'accept', remark: '', validUntil: dayOf(it) }, options),
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
        {it.state === PENDING && (
          <p className="case-until">
            <label htmlFor={`until-${it.id}`}>通过后有效期至</label>{' '}
            <DatePicker
              id={`until-${it.id}`}
              allowClear={false}
              value={dayjs(dayOf(it), DAY)}
              disabledDate={(day) => day.valueOf() < serverNow()}
              onChange={(day) => day && setDays((known) => ({ ...known, [it.id]: day.format(DAY) }))}
            />
          </p>
        )}
        <h3>证件照</h3>
        <Photos
          photos={it.photos.map((photo, index) => ({ id: photo.id, name: index === 0 ? '证件正面' : '证件反面' }))}
          of={[CERTIFICATION_PATH, it.id]}
          load={(photoId, signal) => certificationPhoto(it.id, photoId, signal)}
          none={it.photosGone ? '证件照已在审核结束 30 天后删除' : '证件照已不在'}
        />
      </>
    ),
  }
  return <ReviewPage queue={queue} view={view} />
}
