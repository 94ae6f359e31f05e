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
import { UserDevices } from '../device/UserDevices'
import { levelText } from './levels'
import { PreviewDrawer } from './PreviewDrawer'
import { professionText } from './profession'
import { maskPhone, recordUnmask, type User, userInfo } from './user'
import { UserForm } from './UserForm'
import { useReachFacts } from './useReachFacts'
import { useChangeUser, useCreateUser } from './useUserCommands'
import './user.css'

const FORM = 'user-form'

/** Adds a person. */
export function AddUserDrawer({ onClose }: { onClose: () => void }) {
  const create = useCreateUser()
  return (
    <FormDrawer title="新增人员" wide form={FORM} saving={create.isPending} onClose={onClose}>
      <UserForm id={FORM} onSave={(values, account) => create.mutateAsync({ ...values, ...account }).then(onClose)} />
    </FormDrawer>
  )
}

/** Shows a person: facts and form, his devices, and what he sees. */
export function UserDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(userInfo(useQueryClient(), id))
  const change = useChangeUser()
  const [tab, setTab] = useState('facts')
  const [previewing, setPreviewing] = useState(false)
  const user = query.data
  return (
    <FormDrawer
      title={user?.name ?? '人员详情'}
      wide
      loading={query.isLoading}
      form={user && tab === 'facts' ? FORM : undefined}
      saving={change.isPending}
      onClose={onClose}
      extra={
        user && (
          <Button icon={<EyeOutlined />} onClick={() => setPreviewing(true)}>
            以此用户身份查看
          </Button>
        )
      }
    >
      <LoadFailure query={query} text="人员加载失败" />
      {user && (
        <>
          <UserFacts user={user} />
          <Tabs
            activeKey={tab}
            onChange={setTab}
            items={[
              {
                key: 'facts',
                label: '资料与权限',
                children: (
                  <UserEditor
                    key={id}
                    latest={user}
                    onSave={(values, version) => change.mutateAsync({ ...values, phone: user.phone, version }).then(onClose)}
                  />
                ),
              },
              { key: 'devices', label: '登录设备', children: <UserDevices phone={user.phone} name={user.name} /> },
            ]}
          />
          {previewing && <PreviewDrawer user={user} onClose={() => setPreviewing(false)} />}
        </>
      )}
    </FormDrawer>
  )
}

interface UserEditorProps {
  latest: User
  onSave(values: Parameters<Parameters<typeof UserForm>[0]['onSave']>[0], version: number): Promise<unknown>
}

/** Edits the version it was opened with; a newer one is announced, never laid over what is being written. */
function UserEditor({ latest, onSave }: UserEditorProps) {
  const [user, setUser] = useState(latest)
  return (
    <>
      <NewerNotice subject="这位人员" opened={user} latest={latest} onLoad={setUser} />
      <UserForm key={user.version} id={FORM} user={user} onSave={(values) => onSave(values, user.version)} />
    </>
  )
}

/** The phone, masked until asked for; that somebody looked is recorded first. */
function Phone({ user }: { user: User }) {
  const [shown, setShown] = useState(false)
  const record = useCommand({ run: recordUnmask, stale: [] })
  const show = () => record.mutate(user.objectId, { onSuccess: () => setShown(true) })
  return (
    <span className="figure">
      {shown ? user.phone : maskPhone(user.phone)}{' '}
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

function UserFacts({ user }: { user: User }) {
  const roles = user.roleNames.map((name, index) => <Tag key={user.roleIds[index]}>{name}</Tag>)
  return (
    <Facts
      facts={[
        { name: '手机号', value: <Phone key={user.phone} user={user} /> },
        { name: '状态', value: <EnabledTag state={user.state} /> },
        { name: '级别', value: levelText(user.level) },
        { name: '工种', value: professionText(user.profession) },
        { name: '最近登录', value: <Time at={user.lastLoginAt} /> },
        { name: '角色', whole: true, value: <div className="user-roles">{roles.length > 0 ? roles : <span className="weak">无角色</span>}</div> },
        ...useReachFacts(user.agentIds, user.opAreaIds),
      ]}
    />
  )
}
