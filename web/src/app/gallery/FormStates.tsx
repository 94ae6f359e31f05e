import { Button, Form, Input, Space } from 'antd'
import { useState } from 'react'
import { Refusal } from '@/api/client'
import { DraftNotice } from '@/kit/DraftNotice'
import { writeDraft } from '@/kit/draft'
import { Facts } from '@/kit/Facts'
import { atField } from '@/kit/fieldErrors'
import { FormDrawer } from '@/kit/FormDrawer'
import { NewerNotice } from '@/kit/NewerNotice'
import { PermissionTree } from '@/kit/permission/PermissionTree'
import { NameItem, RemarkItem } from '@/kit/TextItems'
import { useDraft } from '@/kit/useDraft'
import { sampleTree } from './samples'

interface Fields {
  name: string
  phone?: string
  remark?: string
}

const DRAFT = 'gallery'
const TAKEN = 'phone-taken'
const opened = { version: 1, name: '示例记录', remark: '' }

const kinds = {
  loading: '加载中',
  usual: '表单',
  draft: '有草稿',
  conflict: '刚被他人修改',
} as const
type Kind = keyof typeof kinds

/** The drawer of a form in each of its states; saving is refused at the phone. */
export function FormStates() {
  const [kind, setKind] = useState<Kind | null>(null)
  const open = (next: Kind) => {
    if (next === 'draft') writeDraft(DRAFT, { name: '没有保存的名称' })
    setKind(next)
  }
  return (
    <Space wrap>
      {Object.entries(kinds).map(([key, label]) => (
        <Button key={key} onClick={() => open(key as Kind)}>
          {label}
        </Button>
      ))}
      {kind && (
        <FormDrawer title="示例记录" wide={kind === 'usual'} loading={kind === 'loading'} form={kind === 'loading' ? undefined : 'gallery-form'} onClose={() => setKind(null)}>
          <SampleForm conflict={kind === 'conflict'} />
        </FormDrawer>
      )}
    </Space>
  )
}

function SampleForm({ conflict }: { conflict: boolean }) {
  const [form] = Form.useForm<Fields>()
  const draft = useDraft<Fields>(DRAFT)
  const [latest, setLatest] = useState({ ...opened, version: conflict ? 2 : 1 })
  const refuse = () => Promise.reject(new Refusal(TAKEN, '手机号已被使用')).catch(atField(form, { [TAKEN]: 'phone' }))
  return (
    <Form<Fields>
      id="gallery-form"
      form={form}
      layout="vertical"
      initialValues={{ ...opened, ...draft.restored }}
      onValuesChange={(_, values) => draft.keep(values)}
      onFinish={() => void draft.saving(refuse())}
    >
      <Facts
        facts={[
          { name: '编号', value: '1000' },
          { name: '创建人', value: '王小明' },
          { name: '版本', value: '1' },
          { name: '说明', value: '占一整行的内容', whole: true },
        ]}
      />
      <DraftNotice draft={draft} missing="电话需重新填写" onDiscard={() => form.resetFields()} />
      <NewerNotice subject="这条记录" opened={opened} latest={latest} onLoad={() => setLatest(opened)} />
      <NameItem name="name" label="名称" max={20} />
      <Form.Item name="phone" label="手机号" rules={[{ pattern: /^\d{11}$/, message: '请输入 11 位手机号' }]}>
        <Input maxLength={11} />
      </Form.Item>
      <RemarkItem max={100} />
      <Form.Item label="权限">
        <PermissionTree tier={2} source={sampleTree} />
      </Form.Item>
    </Form>
  )
}
