import { EyeInvisibleOutlined, EyeOutlined } from '@ant-design/icons'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Tag } from 'antd'
import { useState } from 'react'
import { command } from '@/api/client'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { EnabledTag } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { useCommand } from '@/kit/useCommand'
import { OperatorDevices } from '../operator-device/OperatorDevices'
import { levelText } from './levels'
import { PreviewDrawer } from './PreviewDrawer'
import { professionText } from './profession'
import { maskPhone, type Operator, operatorInfo } from './operator'
import { OperatorForm } from './OperatorForm'
import { useReachFacts } from './useReachFacts'
import './operator.css'

/** Shows a person: facts and form, his devices, and what he sees. */
export function OperatorDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(operatorInfo(useQueryClient(), id))
  const reach = useReachFacts(query.data?.agentIds ?? [], query.data?.opAreaIds ?? [])
  return (
    <RecordDrawer
      id={id}
      query={query}
      category="operator"
      words={{ untitled: '人员详情', failure: '人员加载失败', subject: '这位人员', main: '资料与权限' }}
      title={({ name }) => name}
      facts={(operator) => [
        { name: '手机号', value: <Phone key={operator.phone} operator={operator} /> },
        { name: '状态', value: <EnabledTag state={operator.state} /> },
        { name: '级别', value: levelText(operator.level) },
        { name: '工种', value: professionText(operator.profession) },
        { name: '最近登录', value: <Time at={operator.lastLoginAt} /> },
        { name: '角色', whole: true, value: <Roles operator={operator} /> },
        ...reach,
      ]}
      tabs={({ phone, name }) => [{ key: 'devices', label: '登录设备', children: <OperatorDevices phone={phone} name={name} /> }]}
      actions={(operator) => <Preview operator={operator} />}
      onClose={onClose}
    >
      {(operator) => <OperatorForm operator={operator} onSaved={onClose} />}
    </RecordDrawer>
  )
}

function Preview({ operator }: { operator: Operator }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button icon={<EyeOutlined />} onClick={() => setOpen(true)}>
        以此用户身份查看
      </Button>
      {open && <PreviewDrawer operator={operator} onClose={() => setOpen(false)} />}
    </>
  )
}

function Roles({ operator: { roleIds, roleNames } }: { operator: Operator }) {
  if (roleNames.length === 0) return <span className="weak">无角色</span>
  return (
    <div className="operator-roles">
      {roleNames.map((name, index) => (
        <Tag key={roleIds[index]}>{name}</Tag>
      ))}
    </div>
  )
}

/** The phone, masked until asked for; that somebody looked is recorded first, and refused means: do not show it. */
function Phone({ operator }: { operator: Operator }) {
  const [shown, setShown] = useState(false)
  const record = useCommand({ run: command.post('/platform/aliyunlog/access'), stale: [] })
  const show = () =>
    record.mutate({ kind: 'unmask', what: 'operator.phone', target: operator.objectId, filter: {} }, { onSuccess: () => setShown(true) })
  return (
    <span className="figure">
      {shown ? operator.phone : maskPhone(operator.phone)}{' '}
      <Button
        type="text"
        size="small"
        aria-label={shown ? '隐藏手机号' : '显示完整手机号'}
        title={shown ? undefined : '显示完整手机号（会留下访问记录）'}
        icon={shown ? <EyeInvisibleOutlined /> : <EyeOutlined />}
        loading={record.isPending}
        onClick={shown ? () => setShown(false) : show}
      />
    </span>
  )
}
