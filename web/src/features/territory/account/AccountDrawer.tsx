import { useQuery } from '@tanstack/react-query'
import { Empty } from 'antd'
import { useState } from 'react'
import { Facts } from '@/kit/Facts'
import { FormDrawer } from '@/kit/FormDrawer'
import { LoadFailure } from '@/kit/LoadFailure'
import { NewerNotice } from '@/kit/NewerNotice'
import { EnabledTag } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { type Account, accountInfo } from './account'
import { AccountForm } from './AccountForm'
import { Contract } from './Contract'
import { useChangeAccount, useCreateAccount } from './useAccountCommands'

const FORM = 'account-form'

/** Opens an agent's account. */
export function AddAccountDrawer({ onClose }: { onClose: () => void }) {
  const create = useCreateAccount()
  return (
    <FormDrawer title="新增代理" wide form={FORM} saving={create.isPending} onClose={onClose}>
      <AccountForm
        id={FORM}
        onSave={(values, { phone, parentId, state }) => create.mutateAsync({ ...values, phone, parentId, state }).then(onClose)}
      />
    </FormDrawer>
  )
}

/** Shows an agent's account and changes it. */
export function AccountDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(accountInfo(id))
  const change = useChangeAccount()
  return (
    <FormDrawer
      title={query.data?.company ?? '代理详情'}
      wide
      loading={query.isLoading}
      form={query.data ? FORM : undefined}
      saving={change.isPending}
      onClose={onClose}
    >
      <LoadFailure query={query} text="代理账号加载失败" />
      {query.data === null && <Empty description="代理不存在、已删除，或不在您的数据范围内" />}
      {query.data && (
        <AccountEditor key={id} latest={query.data} onSave={(values) => change.mutateAsync(values).then(onClose)} />
      )}
    </FormDrawer>
  )
}

interface EditorProps {
  latest: Account
  onSave(values: Parameters<ReturnType<typeof useChangeAccount>['mutateAsync']>[0]): Promise<unknown>
}

/** Edits the version it was opened with; a newer one is announced, never laid over what is being written. */
function AccountEditor({ latest, onSave }: EditorProps) {
  const [account, setAccount] = useState(latest)
  return (
    <>
      <NewerNotice subject="这个代理" opened={account} latest={latest} onLoad={setAccount} />
      <AccountFacts account={latest} />
      <AccountForm
        key={account.version}
        id={FORM}
        account={account}
        onSave={(values, { phone }) =>
          onSave({ ...values, ...(phone === '' ? {} : { phone }), agentId: account.agentId, version: account.version })
        }
      />
    </>
  )
}

function AccountFacts({ account }: { account: Account }) {
  const level = `${account.level} 级${account.parentCompany ? `，隶属 ${account.parentCompany}` : ''}`
  return (
    <Facts
      facts={[
        { name: '状态', value: <EnabledTag state={account.state} /> },
        { name: '级别', value: level },
        { name: '服务区', value: <span className="figure">{account.areaCount}</span> },
        { name: '下级代理', value: <span className="figure">{account.childCount}</span> },
        { name: '合同期', value: <Contract begin={account.contractBegin} end={account.contractEnd} /> },
        { name: '创建时间', value: <Time at={account.createdAt} /> },
      ]}
    />
  )
}
