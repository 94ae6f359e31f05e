import { EMPTY, formatTime } from '@/kit/format'
import type { ListDescription } from '@/kit/list/description'
import { Dot } from '@/kit/StateTag'
import { ACCOUNT_TABLE, authLabel, CUSTOMER, levelLabel, LIST_PATH, type PaymentAccount, statusTag, typeLabel } from './paymentAccount'

const figure = (text: string) => <span className="figure">{text}</span>

/** 账户管理: the payment accounts of all agents in scope. */
export const paymentAccountList: ListDescription<PaymentAccount> = {
  id: 'payment-account',
  title: '账户管理',
  purpose: '代理的支付账户：登记开户结果，冻结、解冻和销户，处理银行卡的解绑。',
  path: LIST_PATH,
  family: CUSTOMER,
  paging: 'financial',
  exported: true,
  table: ACCOUNT_TABLE,
  rowKey: (row) => row.id,
  filters: [{ kind: 'text', name: 'keyword', label: '关键词', placeholder: '客户名称或代理名称' }],
  columns: [
    { key: 'customerName', title: '客户名称', width: 176, text: (row) => row.customerName, render: (row) => <strong title={row.customerName}>{row.customerName}</strong> },
    { key: 'status', title: '状态', width: 92, text: (row) => statusTag(row.status).label, render: (row) => <Dot {...statusTag(row.status)} /> },
    { key: 'agentName', title: '所属代理', width: 136, text: (row) => row.agentName || EMPTY },
    { key: 'accountType', title: '类型', width: 68, text: (row) => typeLabel(row.accountType) },
    { key: 'accountLevel', title: '级别', width: 116, text: (row) => levelLabel(row.accountLevel) },
    { key: 'contact', title: '联系人', width: 72, text: (row) => row.contact },
    { key: 'phone', title: '联系手机', width: 114, text: (row) => row.phoneMasked, render: (row) => figure(row.phoneMasked) },
    { key: 'payPassword', title: '支付密码', width: 84, text: (row) => (row.payPasswordSet ? '已设置' : '未设置') },
    { key: 'changedAt', title: '更新时间', width: 164, text: (row) => formatTime(row.changedAt), render: (row) => figure(formatTime(row.changedAt)) },
    { key: 'certNo', title: '证件号', width: 180, optional: true, text: (row) => row.certNoMasked, render: (row) => figure(row.certNoMasked) },
    { key: 'authStatus', title: '转账授权', width: 84, optional: true, text: (row) => authLabel(row.authStatus) },
    { key: 'openedAt', title: '开户时间', width: 168, optional: true, text: (row) => formatTime(row.openedAt) },
    { key: 'failReason', title: '原因', width: 180, optional: true, text: (row) => row.failReason ?? EMPTY },
  ],
  emptyText: '还没有支付账户，由代理在分账账单中申请开户',
}
