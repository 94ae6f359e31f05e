import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { ListPage } from '@/kit/list/ListPage'
import { WithFranchisees } from '../franchisee/WithFranchisees'
import type { Account } from './account'
import { AccountDrawer, AddAccountDrawer } from './AccountDrawer'
import { accountList } from './description'
import { useAccountActs, useAccountBatch, whyKept } from './useAccountCommands'
import './account.css'

export default function AccountListPage() {
  const [adding, setAdding] = useState(false)
  const { switchState, remove } = useAccountActs()
  const batch = useAccountBatch()
  return (
    <WithFranchisees>
      <ListPage<Account>
        description={accountList}
        main={
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
            新增代理
          </Button>
        }
        rowActions={(account) => [
          { key: 'state', label: account.state === 1 ? '停用' : '启用', onRun: () => switchState(account) },
          { key: 'delete', label: '删除', danger: true, unavailable: whyKept(account), onRun: () => remove(account) },
        ]}
        batchActions={[
          { key: 'enable', label: '批量启用', onRun: (accounts, done) => batch(accounts, true, done) },
          { key: 'disable', label: '批量停用', danger: true, onRun: (accounts, done) => batch(accounts, false, done) },
        ]}
        drawer={(id, close) => <AccountDrawer id={id} onClose={close} />}
      />
      {adding && <AddAccountDrawer onClose={() => setAdding(false)} />}
    </WithFranchisees>
  )
}
