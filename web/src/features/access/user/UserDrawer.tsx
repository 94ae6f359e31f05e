import { EyeInvisibleOutlined, EyeOutlined } from '@ant-design/icons'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Tabs, Tag } from 'antd'
import { useState } from 'react'
import { FormDrawer } from '@/kit/FormDrawer'
import { LoadFailure } from '@/kit/LoadFailure'
import { NewerNotice } from '@/kit/NewerNotice'
import { EnabledTag } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { useCommand } from '@/kit/useCommand'
import { UserDevices } from '../device/UserDevices'
import { levelText } from './levels'
import { PreviewDrawer } from './PreviewDrawer'
import { useAgentNames, useAreaNames } from './ReachFields'
import { maskPhone, recordUnmask, type User, userInfo } from './user'
import { UserForm } from './UserForm'
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

function names(ids: readonly string[], known: ReadonlyMap<string, string>, all: string): string {
  return ids.length === 0 ? all : ids.map((id) => known.get(id) ?? id).join('、')
}

function UserFacts({ user }: { user: User }) {
  const agents = useAgentNames()
  const areas = useAreaNames([])
  return (
    <dl className="user-facts">
      <div>
        <dt>手机号</dt>
        <dd>
          <Phone key={user.phone} user={user} />
        </dd>
      </div>
      <div>
        <dt>状态</dt>
        <dd>
          <EnabledTag state={user.state} />
        </dd>
      </div>
      <div>
        <dt>级别</dt>
        <dd>{levelText(user.level)}</dd>
      </div>
      <div>
        <dt>最近登录</dt>
        <dd>
          <Time at={user.lastLoginAt} />
        </dd>
      </div>
      <div className="wide">
        <dt>角色</dt>
        <dd>
          {user.roleNames.length === 0 && <span className="weak">无角色</span>}
          {user.roleNames.map((name, index) => (
            <Tag key={user.roleIds[index]}>{name}</Tag>
          ))}
        </dd>
      </div>
      <div className="wide">
        <dt>可见代理商</dt>
        <dd>{names(user.agentIds, agents, '全部代理商')}</dd>
      </div>
      <div className="wide">
        <dt>可见服务区</dt>
        <dd>{names(user.opAreaIds, areas, '以上代理商的全部服务区')}</dd>
      </div>
    </dl>
  )
}
