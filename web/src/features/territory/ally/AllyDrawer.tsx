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
import { type Ally, allyInfo, allyState, EXPIRED, TERMINATED, type WholePeople } from './ally'
import { AllyForm } from './AllyForm'
import { ContractEnd } from './description'
import { useChangeAlly, useCreateAlly, useUnmaskAlly } from './useAllyCommands'

const FORM = 'ally-form'

/** Takes a franchiser in. */
export function AddAllyDrawer({ agentId, onClose }: { agentId?: string | undefined; onClose: () => void }) {
  const create = useCreateAlly()
  return (
    <FormDrawer title="登记加盟商" wide form={FORM} saving={create.isPending} onClose={onClose}>
      <AllyForm id={FORM} agentId={agentId} onSave={(values, agent) => create.mutateAsync({ ...values, agentId: agent }).then(onClose)} />
    </FormDrawer>
  )
}

/** Shows a franchiser and changes it. */
export function AllyDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(allyInfo(id))
  const change = useChangeAlly()
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
      {query.data && <AllyEditor key={id} latest={query.data} change={change} onSaved={onClose} />}
    </FormDrawer>
  )
}

interface AllyEditorProps {
  latest: Ally
  change: ReturnType<typeof useChangeAlly>
  onSaved(): void
}

/** Edits the version it was opened with; a newer one is announced, never laid over what is being written. */
function AllyEditor({ latest, change, onSaved }: AllyEditorProps) {
  const [ally, setAlly] = useState(latest)
  return (
    <>
      <NewerNotice subject="资料" opened={ally} latest={latest} onLoad={setAlly} />
      <AllyFacts ally={latest} />
      {latest.state === EXPIRED && (
        <Alert className="notice" type="info" showIcon title="合同已到期：只能修改联系人、电话和法人。续约请先解约，再登记新合同。" />
      )}
      {latest.state !== TERMINATED && (
        <AllyForm
          key={ally.version}
          id={FORM}
          ally={ally}
          onSave={(values) => change.mutateAsync({ ...values, id: ally.id, version: ally.version }).then(onSaved)}
        />
      )}
    </>
  )
}

function AllyFacts({ ally }: { ally: Ally }) {
  const { modal } = App.useApp()
  const unmask = useUnmaskAlly()
  // Kept by this drawer alone, and gone with it.
  const [whole, setWhole] = useState<WholePeople | null>(null)
  const people = whole ?? ally
  const reveal = () => {
    modal.confirm({
      title: `查看「${ally.company}」的完整联系信息？`,
      content: '您的账号和查看时间会记入操作日志。',
      okText: '查看并记录',
      cancelText: '取消',
      onOk: () => unmask.mutateAsync({ id: ally.id }).then(setWhole, () => undefined),
    })
  }
  const ended = ally.state === TERMINATED ? [{ name: '解约原因', value: ally.endedReason || EMPTY, whole: true }] : []
  return (
    <Facts
      facts={[
        { name: '状态', value: <Dot {...allyState(ally.state)} /> },
        { name: '所属代理', value: ally.agentCompany ?? EMPTY },
        { name: '车辆', value: <span className="figure">{ally.vehicleCount.toLocaleString()} 辆</span> },
        { name: '合同到期日', value: <ContractEnd ally={ally} /> },
        { name: '登记时间', value: <Time at={ally.createdAt} /> },
        { name: '更新时间', value: <Time at={ally.updatedAt} /> },
        {
          name: '联系人 · 电话 · 法人',
          whole: true,
          value: (
            <span className="ally-people">
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
