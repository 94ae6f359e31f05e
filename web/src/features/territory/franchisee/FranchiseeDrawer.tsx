import { EyeOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Alert, App, Button } from 'antd'
import { useState } from 'react'
import { command } from '@/api/client'
import { EMPTY } from '@/kit/format'
import { factsOf } from '@/kit/list/cells'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { Time } from '@/kit/Time'
import { useCommand } from '@/kit/useCommand'
import { franchiseeList } from './description'
import { EXPIRED, type Franchisee, FRANCHISEE_PATH, franchiseeInfo, TERMINATED } from './franchisee'
import { FranchiseeForm } from './FranchiseeForm'

/** Shows a franchisee and changes it. */
export function FranchiseeDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <RecordDrawer
      id={id}
      query={useQuery(franchiseeInfo(id))}
      category="ally"
      words={{ untitled: '加盟商', failure: '加盟商加载失败', subject: '资料' }}
      title={({ company }) => company}
      above={({ state }) =>
        state === EXPIRED && (
          <Alert className="notice" type="info" showIcon title="合同已到期：只能修改联系人、电话和法人。续约请先解约，再登记新合同。" />
        )
      }
      facts={(franchisee) => [
        ...factsOf(franchiseeList, franchisee, 'state', 'agent', 'vehicleCount', 'contractEnd', 'updatedAt'),
        { name: '登记时间', value: <Time at={franchisee.createdAt} /> },
        { name: '联系人 · 电话 · 法人', whole: true, value: <People franchisee={franchisee} /> },
        ...(franchisee.state === TERMINATED ? [{ name: '解约原因', value: franchisee.endedReason || EMPTY, whole: true }] : []),
      ]}
      onClose={onClose}
    >
      {(franchisee, { state }) => state !== TERMINATED && <FranchiseeForm franchisee={franchisee} onSaved={onClose} />}
    </RecordDrawer>
  )
}

/** Masked until asked for; who asked is kept. What then is known is kept by this drawer alone, and gone with it. */
function People({ franchisee }: { franchisee: Franchisee }) {
  const { modal } = App.useApp()
  const unmask = useCommand({ run: command.post(`${FRANCHISEE_PATH}/unmask`), stale: [] })
  const [whole, setWhole] = useState<typeof unmask.data>()
  const { contact, phone, legalPerson } = whole ?? franchisee
  const reveal = () => {
    modal.confirm({
      title: `查看「${franchisee.company}」的完整联系信息？`,
      content: '您的账号和查看时间会记入操作日志。',
      okText: '查看并记录',
      cancelText: '取消',
      onOk: () => unmask.mutateAsync({ id: franchisee.id }).then(setWhole, () => undefined),
    })
  }
  return (
    <span className="franchisee-people">
      <span>{contact || EMPTY}</span>
      <span className="figure">{phone || EMPTY}</span>
      <span>{legalPerson || EMPTY}</span>
      {!whole && (
        <Button size="small" type="link" icon={<EyeOutlined />} loading={unmask.isPending} onClick={reveal}>
          查看完整信息
        </Button>
      )}
    </span>
  )
}
