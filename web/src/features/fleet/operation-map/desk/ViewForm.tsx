import { Button, Form, Modal, Radio, Space } from 'antd'

import { command } from '@/api/client'
import { RecordForm } from '@/kit/record/RecordForm'
import { NameItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'

import { AgentOption } from './AgentOption'
import { NAME_MAX, stale, type StoredView, VIEWS_PATH } from './views'

interface ViewFormProps {
  /** The view to rename or to share; null stores a new one. */
  view: StoredView | null
  /** What the map shows: of a new view. */
  state: string
  onClose: () => void
}

const OWN = 1
const SHARED = 2
const fieldOf = { 'map-view-name': 'name', 'map-view-name-taken': 'name' }

/** Name and readers of a view. */
export default function ViewForm({ view, state, onClose }: ViewFormProps) {
  const create = useCommand({ run: command.post(VIEWS_PATH), stale, done: '视图已保存', fieldOf })
  const change = useCommand({ run: command.put(VIEWS_PATH), stale, done: '视图已修改', fieldOf })
  const original = { name: view?.name ?? '', audience: view?.audience ?? OWN, agentId: undefined as string | undefined }
  const [form] = Form.useForm<typeof original>()
  const save = ({ name, audience, agentId }: typeof original) =>
    view === null
      ? create.mutateAsync({ name, audience, state, agentId: agentId ?? null })
      : change.mutateAsync({ id: view.id, version: view.version, name, audience, state: view.state })
  return (
    <Modal
      open
      title={view === null ? '保存当前视图' : `修改视图「${view.name}」`}
      footer={null}
      onCancel={onClose}
      afterOpenChange={(open) => open && form.focusField('name')}
    >
      {view === null && <p className="opmap-desk-says">保存现在的筛选、图层、位置和缩放，之后可一键打开。</p>}
      <RecordForm draft={['map_view', view?.id, view?.version]} form={form} original={original} fieldOf={fieldOf} onSave={(fields) => save(fields).then(onClose)}>
        <NameItem name="name" label="名称" max={NAME_MAX} placeholder="例如：西湖低电早班" showCount />
        <Form.Item name="audience" label="可见范围" required extra="共享后，同一代理能看运营地图的同事都可以打开，只有您可以修改或删除">
          <Radio.Group
            options={[
              { value: OWN, label: '仅自己' },
              { value: SHARED, label: '共享' },
            ]}
          />
        </Form.Item>
        {view === null && <AgentOption label="归属代理" />}
        <Space>
          <Button type="primary" htmlType="submit" loading={create.isPending || change.isPending}>
            保存
          </Button>
          <Button onClick={onClose}>取消</Button>
        </Space>
      </RecordForm>
    </Modal>
  )
}
