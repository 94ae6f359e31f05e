import { useQuery } from '@tanstack/react-query'
import { Alert, Form, Input, Select, Skeleton } from 'antd'
import { useState } from 'react'
import { serverNow } from '@/api/clock'
import { command } from '@/api/client'
import { needLabels } from '@/api/generated/labels'
import { agentsBy } from '@/kit/areaChoices'
import { numberedOptionsOf } from '@/kit/choice'
import { FormDrawer } from '@/kit/FormDrawer'
import { formatMoney, parseMoney } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { usePermit } from '@/kit/Permit'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { useCommand } from '@/kit/useCommand'
import { AT_ONCE, type TermFields, TermItems, termOf } from '@/kit/versions/TermItems'
import { rollBackTo, VersionList, withdrawal } from '@/kit/versions/VersionList'
import { ABOVE, approvalLimits, limitChanges, type Limits, stale } from './approval'
import './approvals.css'

const FORM = 'approval-limits'
const NEEDS = numberedOptionsOf(needLabels)
const agents = agentsBy('/platform/agent/account/list')

interface Fields extends TermFields {
  /** By kind, whose name may have dots. */
  rules: Readonly<Record<string, { need: 0 | 1 | 2; above: string }>>
}

/** From what on an agent's deeds need a second person: as it is, as it shall be, as it was. */
export function LimitsDrawer({ onClose }: { onClose: () => void }) {
  const choices = useQuery({ ...agents, enabled: usePermit('01') })
  const [picked, setPicked] = useState<string | null>(null)
  const agentId = picked ?? choices.data?.[0]?.agentId ?? null
  const query = useQuery({ ...approvalLimits(agentId ?? ''), enabled: agentId !== null })
  const [saving, setSaving] = useState(false)
  const editable = query.data !== undefined && !query.data.fixed
  return (
    <FormDrawer title="复核额度" wide form={editable ? FORM : undefined} saveText="发布" saving={saving} onClose={onClose}>
      <Form layout="vertical">
        <Form.Item label="代理" extra="每个代理各有自己的额度；没有设置过的操作按系统默认。">
          <Select
            aria-label="代理"
            value={agentId}
            onChange={setPicked}
            showSearch={{ optionFilterProp: 'label' }}
            options={choices.data?.map(({ agentId: value, company: label }) => ({ value, label })) ?? []}
            notFoundContent="没有您可以查看的代理"
          />
        </Form.Item>
      </Form>
      {(choices.isLoading || query.isLoading) && <Skeleton active />}
      <LoadFailure query={query} text="复核额度加载失败" />
      {agentId !== null && query.data && (
        <>
          {query.data.fixed && <Alert className="notice" type="info" showIcon title={query.data.fixed} />}
          <LimitsForm key={`${agentId}:${query.data.version}`} agentId={agentId} limits={query.data} onSaving={setSaving} />
          <h3>版本</h3>
          <Versions agentId={agentId} limits={query.data} name={choices.data?.find((one) => one.agentId === agentId)?.company ?? '复核额度'} />
        </>
      )}
    </FormDrawer>
  )
}

const yuan = (cents: number | undefined) => formatMoney(cents ?? 0).replaceAll(',', '')

function LimitsForm({ agentId, limits, onSaving }: { agentId: string; limits: Limits; onSaving: (saving: boolean) => void }) {
  const publish = useCommand({ run: command.post('/platform/approval/limits'), stale, done: '复核额度已发布' })
  const [form] = Form.useForm<Fields>()
  const rules = Object.fromEntries(limits.kinds.map(({ now }) => [now.kind, { need: now.need, above: yuan(now.aboveCents) }]))
  const finish = (fields: Fields) => {
    onSaving(true)
    const said = limits.kinds.map(({ now: { kind } }) => {
      const { need, above } = { ...rules[kind]!, ...fields.rules[kind] }
      return { kind, need, aboveCents: need === ABOVE ? Number(parseMoney(above) ?? 0) : 0 }
    })
    publish.mutate({ agentId, rules: said, fromAt: termOf(fields).from, version: limits.version }, { onSettled: () => onSaving(false) })
  }
  return (
    <Form<Fields> form={form} id={FORM} layout="vertical" disabled={Boolean(limits.fixed)} initialValues={{ ...AT_ONCE, rules }} onFinish={finish}>
      {limits.kinds.map(({ label, measured, now: { kind } }) => (
        <div key={kind} className="approval-rule">
          <Form.Item name={['rules', kind, 'need']} label={label}>
            <Select options={NEEDS.filter(({ value }) => measured || value !== ABOVE)} />
          </Form.Item>
          <Form.Item noStyle dependencies={[['rules', kind, 'need']]}>
            {() =>
              form.getFieldValue(['rules', kind, 'need']) === ABOVE && (
                <Form.Item
                  name={['rules', kind, 'above']}
                  label={`${label}：超过金额`}
                  rules={[{ validator: (_, text: string) => (parseMoney(text) === null ? Promise.reject(new Error('请输入金额，最多两位小数')) : Promise.resolve()) }]}
                >
                  <Input suffix="元" inputMode="decimal" maxLength={12} />
                </Form.Item>
              )
            }
          </Form.Item>
        </div>
      ))}
      <TermItems />
    </Form>
  )
}

function Versions({ agentId, limits, name }: { agentId: string; limits: Limits; name: string }) {
  const [compared, setCompared] = useState<number | null>(null)
  const { kinds, versions, version, fixed } = limits
  const rollBack = useAskedCommand({ run: command.post('/platform/approval/limits/rollback'), stale, done: '已回滚' })
  const withdraw = useAskedCommand({ run: command.post('/platform/approval/limits/withdraw'), stale, done: '已撤回' })
  const other = versions.find(({ dataVersion }) => dataVersion === compared)
  return (
    <>
      <VersionList
        rows={versions}
        at_ms={serverNow()}
        countedOf={(row) => row}
        changesOf={(row, before) => limitChanges(kinds, row, row === versions[0] && other ? other : before)}
        compared={compared}
        onCompare={setCompared}
        {...(fixed
          ? {}
          : {
              onRollBack: (dataVersion: number) => rollBack({ agentId, dataVersion, version }, rollBackTo(dataVersion, name, '立即按这一版发布一个新版本。')),
              onWithdraw: (dataVersion: number) => withdraw({ agentId, dataVersion, version }, { ...withdrawal(dataVersion, name), consequence: '这个版本不再生效。' }),
            })}
        emptyText="还没有设置过；现在按系统默认"
      />
      {other && <p className="weak">最新一版所列的，是与第 {compared} 版的不同。</p>}
    </>
  )
}
