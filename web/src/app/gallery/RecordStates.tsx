import { Button, Space, Tabs } from 'antd'
import { useState } from 'react'
import { HttpError, Refusal } from '@/api/client'
import { NewestSteps } from '@/features/audit/SubjectHistory'
import { dropDraft, writeDraft } from '@/kit/draft'
import { CodesItem } from '@/kit/permission/CodesItem'
import { useCodes } from '@/kit/permission/held'
import { AgentItem, ChoiceItem } from '@/kit/record/ChoiceItem'
import { HistoryContext, type RecordHistory } from '@/kit/record/history'
import { DayItem, DaysItem, EnabledItem, Pair, PhoneItem } from '@/kit/record/items'
import { MoreItems } from '@/kit/record/MoreItems'
import type { RecordParts } from '@/kit/record/RecordBody'
import { NewRecordDrawer, RecordDrawer } from '@/kit/record/RecordDrawer'
import { RecordForm, without } from '@/kit/record/RecordForm'
import { RemoteItem } from '@/kit/record/RemoteItem'
import { NewRecordPage, RecordPage } from '@/kit/record/RecordPage'
import { EnabledTag } from '@/kit/StateTag'
import { NameItem, RemarkItem, TextItem, TextsItem } from '@/kit/TextItems'
import { Time } from '@/kit/Time'
import { placeChoices, sampleHistory, sampleTree } from './samples'
import { State } from './State'

interface Sample {
  id: string
  name: string
  remark: string
  days: string[]
  at_ms: number
  version: number
}
type Fields = Pick<Sample, 'name' | 'remark' | 'days'> & { phone?: string; codes: string[]; enabled?: boolean; tags: string[]; tel: string }

const LOG = '1404'
const TAKEN = 'phone-taken'
/** Of the first version. */
const DRAFT = 'gallery_1000_1'
const sample: Sample = { id: '1000', name: '示例记录', remark: '', days: ['2026-06-01', ''], at_ms: Date.UTC(2026, 10, 21, 4), version: 1 }
const words = { untitled: '示例详情', failure: '示例加载失败', subject: '这条记录', none: '记录不存在、已删除，或不在您的数据范围内' }
const refetch = () => Promise.resolve()
const query = { data: undefined as Sample | null | undefined, isLoading: false, isError: false, error: null as unknown, refetch }
const back = { to: '/kit-gallery', text: '返回列表' }

const kinds = {
  loading: '加载中',
  failed: '加载失败',
  none: '不存在',
  usual: '表单（电话被拒绝）',
  draft: '有草稿',
  conflict: '刚被他人修改',
  shown: '只能查看',
} as const
type Kind = keyof typeof kinds

const subject = { category: 'role', id: sample.id }
const steps = { data: sampleHistory, isLoading: false, isError: false, error: null, refetch }
const histories = [
  { name: '加载中', query: { ...steps, data: undefined, isLoading: true } },
  { name: '空', query: { ...steps, data: { ...sampleHistory, rows: [], count: 0 } } },
  { name: '加载失败', query: { ...steps, data: undefined, isError: true, error: new HttpError(500, '') } },
  { name: '最近的几步', query: steps },
]
const history: RecordHistory = { need: LOG, Steps: () => <NewestSteps subject={subject} query={steps} /> }

/** Saving is refused at the phone. */
function SampleForm({ record, readOnly = false }: { record?: Sample; readOnly?: boolean }) {
  const { id, version, name = '', remark = '', days = [] } = record ?? {}
  return (
    <RecordForm<Fields>
      draft={['gallery', id, version]}
      original={{ name, remark, days, codes: ['0101'], enabled: true, tags: [], tel: '' }}
      kept={(fields) => without(fields, 'phone', 'tel')}
      missing="电话需重新填写"
      fieldOf={{ [TAKEN]: 'phone' }}
      readOnly={readOnly}
      onSave={() => Promise.reject(new Refusal(TAKEN, '手机号已被使用'))}
    >
      <NameItem name="name" label="名称" max={20} showCount />
      <Pair>
        <PhoneItem name="phone" label="联系电话" required={!record} placeholder="11 位手机号" />
        <DayItem name="since" label="加盟日期" placeholder="签约前必填" />
      </Pair>
      <Pair>
        <DaysItem name="days" label="合同期" />
        <ChoiceItem name="places" label="停车区" mode="multiple" placeholder="按名称搜索" none="没有停车区" options={[{ value: '1', label: '示例停车区' }]} />
      </Pair>
      <RemoteItem name="found" label="搜索停车区" choices={placeChoices} placeholder="按名称搜索" none="没有停车区" />
      {!record && <AgentItem label="所属代理" placeholder="与哪家代理签约" none="没有可选择的代理" />}
      <TextsItem name="tags" label="标签" placeholder="输入后回车" most={3} max={10} />
      <RemarkItem max={100} />
      <MoreItems usual={{ tel: '' }}>
        <TextItem name="tel" label="备用电话" rules={[{ pattern: /^\d*$/, message: '只能包含数字' }]} />
      </MoreItems>
      {!record && <EnabledItem />}
      <CodesItem label="权限" extra="勾选分组会一并勾选其下的页面和操作" tier={2} source={sampleTree} />
    </RecordForm>
  )
}

function partsOf(kind: Kind): RecordParts<Sample> {
  const latest = { ...sample, name: kind === 'conflict' ? '改过的名称' : sample.name, version: kind === 'conflict' ? 2 : 1 }
  const asked: Record<string, Partial<typeof query>> = {
    loading: { isLoading: true },
    failed: { isError: true, error: new HttpError(500, '') },
    none: { data: null },
  }
  return {
    id: sample.id,
    query: { ...query, data: kind in asked ? undefined : latest, ...asked[kind] },
    category: subject.category,
    words,
    title: ({ name }) => name,
    facts: ({ id, version, at_ms }) => [
      { name: '编号', value: id },
      { name: '状态', value: <EnabledTag state={1} /> },
      { name: '版本', value: String(version) },
      { name: '更新时间', value: <Time at={at_ms} /> },
    ],
    tabs: () => [{ key: 'more', label: '其他内容', children: <p>另一个标签的内容</p> }],
    children: (opened) => <SampleForm record={opened} readOnly={kind === 'shown'} />,
  }
}

/** A record in its drawer and on its page, its form and its history, each in every state. */
export function RecordStates() {
  const [kind, setKind] = useState<Kind | 'new' | null>(null)
  const readsLog = useCodes((codes) => codes.has(LOG))
  const close = () => setKind(null)
  const open = (next: Kind) => {
    dropDraft(DRAFT)
    if (next === 'draft') writeDraft(DRAFT, { name: '没有保存的名称' })
    setKind(next === 'conflict' ? 'usual' : next)
    // Another changes it once the drawer is open.
    if (next === 'conflict') setTimeout(() => setKind(next), 300)
  }
  const permit = () => useCodes.setState(new Set([...useCodes.getState()].filter((code) => code !== LOG).concat(readsLog ? [] : [LOG])), true)
  return (
    <HistoryContext value={history}>
      <State name="记录抽屉">
        <Space wrap>
          {Object.entries(kinds).map(([key, label]) => (
            <Button key={key} onClick={() => open(key as Kind)}>
              {label}
            </Button>
          ))}
          <Button onClick={() => setKind('new')}>新增</Button>
          <Button type="link" onClick={permit}>
            {readsLog ? '不持有操作日志的权限' : '持有操作日志的权限'}
          </Button>
        </Space>
        {kind === 'new' && (
          <NewRecordDrawer title="新增示例" onClose={close}>
            <SampleForm />
          </NewRecordDrawer>
        )}
        {kind !== null && kind !== 'new' && <RecordDrawer {...partsOf(kind)} actions={() => <Button>操作</Button>} onClose={close} />}
      </State>
      <State name="记录页">
        <Tabs
          items={[
            { key: 'usual', label: '记录', children: <RecordPage {...partsOf('usual')} unnamed="地址中缺少编号" back={back} /> },
            { key: 'failed', label: '加载失败', children: <RecordPage {...partsOf('failed')} unnamed="地址中缺少编号" back={back} /> },
            { key: 'unnamed', label: '没有编号', children: <RecordPage {...partsOf('usual')} id="" unnamed="地址中缺少编号" back={back} /> },
            { key: 'new', label: '新增', children: <NewRecordPage title="新增示例" back={back.to}>{() => <SampleForm />}</NewRecordPage> },
            {
              key: 'forbidden',
              label: '没有权限',
              children: (
                <NewRecordPage title="新增示例" need={{ code: '9999', page: '示例管理' }} back={back.to}>
                  {() => <SampleForm />}
                </NewRecordPage>
              ),
            },
          ]}
        />
      </State>
      {histories.map((one) => (
        <State key={one.name} name={`操作记录：${one.name}`}>
          <NewestSteps subject={subject} query={one.query} />
        </State>
      ))}
    </HistoryContext>
  )
}
