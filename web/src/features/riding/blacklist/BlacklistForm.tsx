import { DatePicker, Form, Select } from 'antd'
import type { Dayjs } from 'dayjs'
import { command } from '@/api/client'
import { serverNow } from '@/api/clock'
import { blacklistKindLabels, blacklistScopeLabels } from '@/api/generated/labels'
import { numberedOptionsOf } from '@/kit/choice'
import { RemoteSelect } from '@/kit/list/RemoteSelect'
import { RecordForm, without } from '@/kit/record/RecordForm'
import { TextItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import { AGENT, BLACKLIST_PATH, REASON_MAX, riderChoices, stale } from './blacklist'

/** Listed by the system alone. */
const BY_SCORE = 2
const BY_HAND = 1

interface Fields {
  userId?: string
  kind: 1 | 3
  scope: 1 | 2 | 3
  reason: string
  until: Dayjs | null
}

/** Refusals that are said at fields. */
const fieldOf = { 'blacklist-listed': 'userId', 'blacklist-reach': 'scope', 'blacklist-until': 'until', 'blacklist-reason': 'reason' }

interface FormProps {
  /** Whom, where it is known already. */
  rider?: { userId: string; called: string }
  onSaved: () => void
}

/** Puts a rider on the blacklist. */
export function BlacklistForm({ rider, onSaved }: FormProps) {
  const add = useCommand({ run: command.post(BLACKLIST_PATH), stale, done: '已加入黑名单', fieldOf })
  return (
    <RecordForm<Fields>
      draft={rider ? ['blacklist', rider.userId] : ['blacklist']}
      original={{ ...(rider && { userId: rider.userId }), kind: BY_HAND, scope: AGENT, reason: '', until: null }}
      kept={(fields) => without(fields, 'userId', 'until')}
      missing="用户和到期时间需重新选择"
      fieldOf={fieldOf}
      onSave={({ userId = '', kind, scope, reason, until }) =>
        add.mutateAsync({ userId, kind, scope, reason, until: until?.format('YYYY-MM-DD HH:mm:ss') ?? null }).then(onSaved)
      }
    >
      {rider ? (
        <Form.Item label="用户">{rider.called}</Form.Item>
      ) : (
        <Form.Item name="userId" label="用户" required rules={[{ required: true, message: '请选择用户' }]} extra="输入完整手机号、姓名或用户编号后选择">
          <RiderField />
        </Form.Item>
      )}
      <Form.Item name="kind" label="来源" required>
        <Select options={numberedOptionsOf(blacklistKindLabels).filter(({ value }) => value !== BY_SCORE)} />
      </Form.Item>
      <Form.Item name="scope" label="范围" required extra="全平台会同时拉黑该手机号在其他代理的账户，只有能看到全部数据的人员可用">
        <Select options={numberedOptionsOf(blacklistScopeLabels)} />
      </Form.Item>
      <TextItem name="reason" label="拉黑原因" required rules={[{ required: true, whitespace: true, message: '请填写拉黑原因' }]} maxLength={REASON_MAX} placeholder="例如：多次在禁停区还车，劝阻无效" />
      <Form.Item name="until" label="到期时间" extra="留空为永久">
        <DatePicker showTime={{ format: 'HH:mm' }} format="YYYY-MM-DD HH:mm" placeholder="永久" disabledDate={(day) => day.valueOf() < serverNow() - 86_400_000} />
      </Form.Item>
    </RecordForm>
  )
}

interface FieldProps {
  value?: string
  onChange?(value: string | undefined): void
}

function RiderField({ value, onChange }: FieldProps) {
  return <RemoteSelect label="用户" placeholder="手机号、姓名或用户编号" choices={riderChoices} value={value} onChange={(id) => onChange?.(id)} />
}
