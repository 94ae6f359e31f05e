import { PlusOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Empty, Table } from 'antd'
import { useState } from 'react'
import { api } from '@/api/client'
import { ListPage } from '@/kit/list/ListPage'
import { tableColumns } from '@/kit/list/ListTable'
import { useFollow } from '@/kit/list/useFollow'
import { LoadFailure } from '@/kit/LoadFailure'
import { NewRecordDrawer } from '@/kit/record/RecordDrawer'
import { franchiseeList } from './description'
import { type Franchisee, FRANCHISEE_PATH, TERMINATED } from './franchisee'
import { FranchiseeDrawer } from './FranchiseeDrawer'
import { FranchiseeForm } from './FranchiseeForm'
import { useFranchiseeActs } from './useFranchiseeActs'

const FEW = 200
const ADD = '登记加盟商'

/** 加盟商: all in scope as a list. */
export function FranchiseeList() {
  return (
    <ListPage<Franchisee>
      description={franchiseeList}
      add={{ text: ADD, form: (close) => <FranchiseeForm onSaved={close} /> }}
      editable={({ state }) => (state === TERMINATED ? '已经解约，不能修改' : undefined)}
      rowActions={useFranchiseeActs()}
      drawer={(id, close) => <FranchiseeDrawer id={id} onClose={close} />}
    />
  )
}

const few = tableColumns(franchiseeList.columns, ['state', 'ratio', 'contractEnd'])

/** The franchisees of one agent as a short table, beside what else is shown of it. */
export function FranchiseesOfAgent({ agentId }: { agentId: string }) {
  const [adding, setAdding] = useState(false)
  const [open, setOpen] = useState<string | null>(null)
  const query = useQuery({
    queryKey: [FRANCHISEE_PATH, 'of', agentId],
    queryFn: ({ signal }) => api.get(FRANCHISEE_PATH, { agentId, page: 1, pageSize: FEW }, { signal }),
  })
  useFollow('franchisee', [FRANCHISEE_PATH])
  const rows = query.data?.rows ?? []
  const add = (
    <Button icon={<PlusOutlined />} onClick={() => setAdding(true)}>
      {ADD}
    </Button>
  )
  const company = ({ id, company }: Franchisee) => (
    <Button type="link" size="small" onClick={() => setOpen(id)}>
      {company}
    </Button>
  )
  if (query.isError && !query.data) return <LoadFailure query={query} text="加盟商加载失败" />
  return (
    <>
      <Table<Franchisee>
        size="small"
        rowKey="id"
        loading={query.isLoading}
        dataSource={rows}
        pagination={{ pageSize: 10, hideOnSinglePage: true, showSizeChanger: false }}
        scroll={{ x: 520 }}
        columns={[{ title: '公司', ellipsis: true, render: (_, row) => company(row) }, ...few]}
        locale={{ emptyText: query.isLoading ? <div className="list-empty" /> : <Empty description="这家代理还没有加盟商">{add}</Empty> }}
        {...(rows.length > 0 ? { footer: () => add } : {})}
      />
      {open !== null && <FranchiseeDrawer id={open} onClose={() => setOpen(null)} />}
      {adding && (
        <NewRecordDrawer title={ADD} onClose={() => setAdding(false)}>
          <FranchiseeForm agentId={agentId} onSaved={() => setAdding(false)} />
        </NewRecordDrawer>
      )}
    </>
  )
}
