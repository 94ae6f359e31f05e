import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { App, Button, Empty, Table } from 'antd'
import { useEffect, useState } from 'react'
import { api, failureText } from '@/api/client'
import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { pageSizes, useListAddress } from '@/kit/list/address'
import { EXPORT_LIMIT, saveFile, toCsv } from '@/kit/list/csv'
import { FilterRow } from '@/kit/list/FilterRow'
import { useListSettings } from '@/kit/list/settings'
import { Toolbar } from '@/kit/list/Toolbar'
import { useFollow } from '@/kit/list/useFollow'
import '@/kit/list/list.css'
import { type Account, ACCOUNT_TABLE, CUSTOMER, LIST_PATH, type Records } from './account'
import { AccountDrawer } from './AccountDrawer'
import { columns, filters } from './description'
import { useOwnAccount } from './useOwnAccount'
import './account.css'

const EXPORT_PAGE = 200

function fetchPage(keyword: string, current: number, size: number, signal?: AbortSignal): Promise<Records<Account>> {
  return api.get<Records<Account>>(LIST_PATH, { current, size, keyword }, signal ? { signal } : {})
}

/** All accounts that the keyword leaves, up to the limit of an export. */
async function fetchAll(keyword: string): Promise<Account[]> {
  const rows: Account[] = []
  for (let current = 1; rows.length < EXPORT_LIMIT; current += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other spares the server
    const { records } = await fetchPage(keyword, current, EXPORT_PAGE)
    rows.push(...records)
    if (records.length < EXPORT_PAGE) break
  }
  return rows.slice(0, EXPORT_LIMIT)
}

/** 账户管理: the payment accounts of all franchisees in scope. Its list has the page format of the financial host. */
export default function AccountManagerPage() {
  const { message } = App.useApp()
  const [address, setAddress] = useListAddress(filters)
  const [settings, setSettings, resetSettings] = useListSettings('payment-account', columns)
  const [exporting, setExporting] = useState(false)
  const { page, pageSize, open } = address
  const keyword = address.filters.keyword ?? ''
  useOwnAccount()
  const marked = useFollow(ACCOUNT_TABLE, [CUSTOMER])
  const query = useQuery({
    queryKey: [CUSTOMER, 'list', keyword, page, pageSize],
    queryFn: ({ signal }) => fetchPage(keyword, page, pageSize, signal),
    placeholderData: keepPreviousData,
  })
  const rows = query.data?.records ?? []

  // Up and down move the drawer to the neighbouring row; Esc is the drawer's own.
  useEffect(() => {
    if (open === null) return undefined
    const move = (event: KeyboardEvent) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      const within = event.target instanceof HTMLElement && event.target.closest('input, textarea, [role="radiogroup"]') !== null
      const next = rows[rows.findIndex(({ id }) => id === open) + step]
      if (step === 0 || within || !next || !rows.some(({ id }) => id === open)) return
      event.preventDefault()
      setAddress({ open: next.id })
    }
    window.addEventListener('keydown', move)
    return () => window.removeEventListener('keydown', move)
  })

  const exportRows = async () => {
    setExporting(true)
    try {
      const all = await fetchAll(keyword)
      const shown = columns.filter((column) => settings.shown.includes(column.key))
      saveFile(`账户管理-${formatTime(Date.now()).replaceAll(/[: ]/g, '')}.csv`, toCsv(shown, all))
      if (all.length === EXPORT_LIMIT) void message.warning(`只导出了前 ${EXPORT_LIMIT} 条，请缩小筛选范围`)
      else void message.success(`已导出 ${all.length} 条`)
    } catch (error) {
      void message.error(failureText(error, '导出失败'))
    } finally {
      setExporting(false)
    }
  }

  const shown = columns.filter(({ key }) => settings.shown.includes(key))
  return (
    <section className="list-page" aria-labelledby="list-title">
      <header className="list-head">
        <h1 id="list-title">账户管理</h1>
        <p className="weak">代理的支付账户：登记开户结果，冻结、解冻和销户，处理银行卡的解绑。</p>
      </header>
      <div className="panel list-panel">
        <FilterRow filters={filters} values={address.filters} onChange={(values) => setAddress({ filters: values, page: 1 })} />
        <div className="toolbar">
          <div className="toolbar-left" />
          <Toolbar
            columns={columns}
            settings={settings}
            onSettings={setSettings}
            onReset={resetSettings}
            refreshedAt={query.dataUpdatedAt}
            refreshing={query.isFetching}
            onRefresh={() => void query.refetch()}
            exporting={exporting}
            onExport={() => void exportRows()}
          />
        </div>
        {query.isError && !query.data ? (
          <LoadFailure query={query} text="账户列表加载失败，请检查网络后重试" />
        ) : (
          <Table<Account>
            rowKey="id"
            columns={shown.map((column) => ({
              key: column.key,
              title: column.title,
              width: column.width,
              ellipsis: true,
              render: (_: unknown, row: Account) => column.render?.(row) ?? column.text(row),
            }))}
            dataSource={rows}
            size={settings.density}
            loading={{ spinning: query.isLoading || query.isPlaceholderData, delay: 150 }}
            sticky={{ offsetHeader: 0 }}
            scroll={{ x: shown.reduce((sum, column) => sum + (column.width ?? 0), 0) }}
            rowClassName={({ id }) => ['row-link', marked.has(id) && 'row-changed', open === id && 'row-open'].filter(Boolean).join(' ')}
            onRow={({ id }) => ({
              tabIndex: 0,
              onClick: () => setAddress({ open: id }),
              onKeyDown: (event) => {
                if (event.key === 'Enter' && event.target === event.currentTarget) setAddress({ open: id })
              },
            })}
            locale={{
              emptyText: query.isLoading ? (
                <div className="list-empty" />
              ) : (
                <Empty
                  className="list-empty"
                  image={Empty.PRESENTED_IMAGE_SIMPLE}
                  description={keyword === '' ? '还没有支付账户，由代理在分账账单中申请开户' : '没有符合筛选条件的记录'}
                >
                  {keyword !== '' && <Button onClick={() => setAddress({ filters: {}, page: 1 })}>清除筛选</Button>}
                </Empty>
              ),
            }}
            pagination={{
              current: page,
              pageSize,
              total: query.data?.total ?? 0,
              pageSizeOptions: [...pageSizes],
              showSizeChanger: true,
              showTotal: (total) => `共 ${total} 条`,
              onChange: (next, size) => setAddress({ page: size === pageSize ? next : 1, pageSize: size }),
            }}
          />
        )}
      </div>
      {open !== null && <AccountDrawer key={open} id={open} onClose={() => setAddress({ open: null })} />}
    </section>
  )
}
