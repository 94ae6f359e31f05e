import { EyeOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Alert, App, Button } from 'antd'
import { useState } from 'react'
import { Facts } from '@/kit/Facts'
import { EMPTY } from '@/kit/format'
import { FormDrawer } from '@/kit/FormDrawer'
import { LoadFailure } from '@/kit/LoadFailure'
import { NewerNotice } from '@/kit/NewerNotice'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { ContractEnd } from './description'
import { EXPIRED, type Franchisee, franchiseeInfo, franchiseeState, TERMINATED, type WholePeople } from './franchisee'
import { FranchiseeForm } from './FranchiseeForm'
import { useChangeFranchisee, useCreateFranchisee, useUnmaskFranchisee } from './useFranchiseeCommands'

const FORM = 'franchisee-form'

/** Takes a franchisee in. */
export function AddFranchiseeDrawer({ agentId, onClose }: { agentId?: string | undefined; onClose: () => void }) {
  const create = useCreateFranchisee()
  return (
    <FormDrawer title="登记加盟商" wide form={FORM} saving={create.isPending} onClose={onClose}>
      <FranchiseeForm id={FORM} agentId={agentId} onSave={(values, agent) => create.mutateAsync({ ...values, agentId: agent }).then(onClose)} />
    </FormDrawer>
  )
}

/** Shows a franchisee and changes it. */
export function FranchiseeDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(franchiseeInfo(id))
  const change = useChangeFranchisee()
  const editable = query.data !== undefined && query.data.state !== TERMINATED
  return (
    <FormDrawer
      title={query.data?.company ?? '加盟商'}
      wide
      loading={query.isLoading}
      {...(editable ? { form: FORM } : {})}
      saving={change.isPending}
      onClose={onClose}
    >
      <LoadFailure query={query} text="加盟商加载失败" />
      {query.data && <FranchiseeEditor key={id} latest={query.data} change={change} onSaved={onClose} />}
    </FormDrawer>
  )
}

interface FranchiseeEditorProps {
  latest: Franchisee
  change: ReturnType<typeof useChangeFranchisee>
  onSaved(): void
}

/** Edits the version it was opened with; a newer one is announced, never laid over what is being written. */
function FranchiseeEditor({ latest, change, onSaved }: FranchiseeEditorProps) {
  const [franchisee, setFranchisee] = useState(latest)
  return (
    <>
      <NewerNotice subject="资料" opened={franchisee} latest={latest} onLoad={setFranchisee} />
      <FranchiseeFacts franchisee={latest} />
      {latest.state === EXPIRED && (
        <Alert className="notice" type="info" showIcon title="合同已到期：只能修改联系人、电话和法人。续约请先解约，再登记新合同。" />
      )}
      {latest.state !== TERMINATED && (
        <FranchiseeForm
          key={franchisee.version}
          id={FORM}
          franchisee={franchisee}
          onSave={(values) => change.mutateAsync({ ...values, id: franchisee.id, version: franchisee.version }).then(onSaved)}
        />
      )}
    </>
  )
}

function FranchiseeFacts({ franchisee }: { franchisee: Franchisee }) {
  const { modal } = App.useApp()
  const unmask = useUnmaskFranchisee()
  // Kept by this drawer alone, and gone with it.
  const [whole, setWhole] = useState<WholePeople | null>(null)
  const people = whole ?? franchisee
  const reveal = () => {
    modal.confirm({
      title: `查看「${franchisee.company}」的完整联系信息？`,
      content: '您的账号和查看时间会记入操作日志。',
      okText: '查看并记录',
      cancelText: '取消',
      onOk: () => unmask.mutateAsync({ id: franchisee.id }).then(setWhole, () => undefined),
    })
  }
  const ended = franchisee.state === TERMINATED ? [{ name: '解约原因', value: franchisee.endedReason || EMPTY, whole: true }] : []
  return (
    <Facts
      facts={[
        { name: '状态', value: <Dot {...franchiseeState(franchisee.state)} /> },
        { name: '所属代理', value: franchisee.agentCompany ?? EMPTY },
        { name: '车辆', value: <span className="figure">{franchisee.vehicleCount.toLocaleString()} 辆</span> },
        { name: '合同到期日', value: <ContractEnd franchisee={franchisee} /> },
        { name: '登记时间', value: <Time at={franchisee.createdAt} /> },
        { name: '更新时间', value: <Time at={franchisee.updatedAt} /> },
        {
          name: '联系人 · 电话 · 法人',
          whole: true,
          value: (
            <span className="franchisee-people">
              <span>{people.contact || EMPTY}</span>
              <span className="figure">{people.phone || EMPTY}</span>
              <span>{people.legalPerson || EMPTY}</span>
              {!whole && (
                <Button size="small" type="link" icon={<EyeOutlined />} loading={unmask.isPending} onClick={reveal}>
                  查看完整信息
                </Button>
              )}
            </span>
          ),
        },
        ...ended,
      ]}
    />
  )
}
