import { Button, Form, Input, Space } from 'antd'

import { command } from '@/api/client'
import { RecordForm } from '@/kit/record/RecordForm'
import { TextsItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'

import { AgentOption } from './AgentOption'
import { BIKES_MAX, NOTES_PATH, stale, TEXT_MAX } from './notes'

const NUMBER = { is: /^[A-Za-z0-9_-]{1,40}$/, text: '不是车辆编号' }
const fieldOf = { 'shift-note-text': 'text', 'shift-note-bike': 'bikes', 'shift-note-bikes': 'bikes' }
const original = { text: '', bikes: [] as string[], agentId: undefined as string | undefined }

/** What one shift tells the next. What is written stays as a draft while the drawer is away. */
export function NoteForm({ onClose }: { onClose: () => void }) {
  const write = useCommand({ run: command.post(NOTES_PATH), stale, done: '交接班记录已写下', fieldOf })
  const [form] = Form.useForm<typeof original>()
  const save = ({ text, bikes, agentId }: typeof original) => write.mutateAsync({ text, bikes, agentId: agentId ?? null })
  return (
    <RecordForm className="opmap-shift-form" draft={['shift_note']} form={form} original={original} fieldOf={fieldOf} onSave={(fields) => save(fields).then(onClose)}>
      <Form.Item name="text" label="交接内容" className="opmap-shift-words" rules={[{ required: true, whitespace: true, message: '请填写交接内容' }]}>
        <Input.TextArea
          autoFocus
          autoSize={{ minRows: 3, maxRows: 8 }}
          maxLength={TEXT_MAX}
          showCount
          placeholder="例如：东门站淤积，已约 22:00 调走 20 辆；W00012 锁异常，等维修取车"
        />
      </Form.Item>
      <TextsItem name="bikes" label="涉及车辆" placeholder="输入或粘贴车辆编号，回车确认" most={BIKES_MAX} max={40} pattern={NUMBER} />
      <AgentOption label="交接给哪个代理的人员" />
      <p className="opmap-weak opmap-desk-says">写下后不能修改；10 分钟内没有人知悉时可以撤回。</p>
      <Space>
        <Button type="primary" htmlType="submit" loading={write.isPending}>
          写下
        </Button>
        <Button onClick={onClose}>取消</Button>
      </Space>
    </RecordForm>
  )
}
