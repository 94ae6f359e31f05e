import { EyeInvisibleOutlined, EyeOutlined } from '@ant-design/icons'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Tabs, Tag } from 'antd'
import { useState } from 'react'
import { Facts } from '@/kit/Facts'
import { FormDrawer } from '@/kit/FormDrawer'
import { LoadFailure } from '@/kit/LoadFailure'
import { NewerNotice } from '@/kit/NewerNotice'
import { EnabledTag } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { useCommand } from '@/kit/useCommand'
import { OperatorDevices } from '../operator-device/OperatorDevices'
import { levelText } from './levels'
import { PreviewDrawer } from './PreviewDrawer'
import { professionText } from './profession'
import { maskPhone, type Operator, operatorInfo, recordUnmask } from './operator'
import { OperatorForm } from './OperatorForm'
import { useReachFacts } from './useReachFacts'
import { useChangeOperator, useCreateOperator } from './useOperatorCommands'
import './operator.css'

const FORM = 'operator-form'

/** Adds a person. */
export function AddOperatorDrawer({ onClose }: { onClose: () => void }) {
  const create = useCreateOperator()
  return (
    <FormDrawer title="新增人员" wide form={FORM} saving={create.isPending} onClose={onClose}>
      <OperatorForm id={FORM} onSave={(values, account) => create.mutateAsync({ ...values, ...account }).then(onClose)} />
    </FormDrawer>
  )
}

/** Shows a person: facts and form, his devices, and what he sees. */
export function OperatorDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(operatorInfo(useQueryClient(), id))
  const change = useChangeOperator()
  const [tab, setTab] = useState('facts')
  const [previewing, setPreviewing] = useState(false)
  const operator = query.data
  return (
    <FormDrawer
      title={operator?.name ?? '人员详情'}
      wide
      loading={query.isLoading}
      form={operator && tab === 'facts' ? FORM : undefined}
      saving={change.isPending}
      onClose={onClose}
      extra={
        operator && (
          <Button icon={<EyeOutlined />} onClick={() => setPreviewing(true)}>
            以此用户身份查看
          </Button>
        )
      }
    >
      <LoadFailure query={query} text="人员加载失败" />
      {operator && (
        <>
          <OperatorFacts operator={operator} />
          <Tabs
            activeKey={tab}
            onChange={setTab}
            items={[
              {
                key: 'facts',
                label: '资料与权限',
                children: (
                  <OperatorEditor
                    key={id}
                    latest={operator}
                    onSave={(values, version) => change.mutateAsync({ ...values, phone: operator.phone, version }).then(onClose)}
                  />
                ),
              },
              { key: 'devices', label: '登录设备', children: <OperatorDevices phone={operator.phone} name={operator.name} /> },
            ]}
          />
          {previewing && <PreviewDrawer operator={operator} onClose={() => setPreviewing(false)} />}
        </>
      )}
    </FormDrawer>
  )
}

interface OperatorEditorProps {
  latest: Operator
  onSave(values: Parameters<Parameters<typeof OperatorForm>[0]['onSave']>[0], version: number): Promise<unknown>
}

/** Edits the version it was opened with; a newer one is announced, never laid over what is being written. */
function OperatorEditor({ latest, onSave }: OperatorEditorProps) {
  const [operator, setOperator] = useState(latest)
  return (
    <>
      <NewerNotice subject="这位人员" opened={operator} latest={latest} onLoad={setOperator} />
      <OperatorForm key={operator.version} id={FORM} operator={operator} onSave={(values) => onSave(values, operator.version)} />
    </>
  )
}

/** The phone, masked until asked for; that somebody looked is recorded first. */
function Phone({ operator }: { operator: Operator }) {
  const [shown, setShown] = useState(false)
  const record = useCommand({ run: recordUnmask, stale: [] })
  const show = () => record.mutate(operator.objectId, { onSuccess: () => setShown(true) })
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

function OperatorFacts({ operator }: { operator: Operator }) {
  const roles = operator.roleNames.map((name, index) => <Tag key={operator.roleIds[index]}>{name}</Tag>)
  return (
    <Facts
      facts={[
        { name: '手机号', value: <Phone key={operator.phone} operator={operator} /> },
        { name: '状态', value: <EnabledTag state={operator.state} /> },
        { name: '级别', value: levelText(operator.level) },
        { name: '工种', value: professionText(operator.profession) },
        { name: '最近登录', value: <Time at={operator.lastLoginAt} /> },
        { name: '角色', whole: true, value: <div className="operator-roles">{roles.length > 0 ? roles : <span className="weak">无角色</span>}</div> },
        ...useReachFacts(operator.agentIds, operator.opAreaIds),
      ]}
    />
  )
}
