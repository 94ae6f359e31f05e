import type { ListDescription } from '@/kit/list/description'
import { ACCOUNT_TABLE, authLabel, CUSTOMER, levelLabel, LIST_PATH, type PaymentAccount, statusTag, typeLabel } from './paymentAccount'

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
    { key: 'customerName', title: '客户名称', width: 176, strong: true, text: (row) => row.customerName },
    { kind: 'choice', key: 'status', title: '状态', width: 92, value: (row) => statusTag(row.status) },
    { key: 'agentName', title: '所属代理', width: 136, text: (row) => row.agentName },
    { key: 'accountType', title: '类型', width: 68, text: (row) => typeLabel(row.accountType) },
    { key: 'accountLevel', title: '级别', width: 116, text: (row) => levelLabel(row.accountLevel) },
    { key: 'contact', title: '联系人', width: 72, text: (row) => row.contact },
    { kind: 'phone', key: 'phone', title: '联系手机', width: 114, value: (row) => row.phoneMasked },
    { key: 'payPassword', title: '支付密码', width: 84, text: (row) => (row.payPasswordSet ? '已设置' : '未设置') },
    { kind: 'time', key: 'changedAt', title: '更新时间', value: (row) => row.changedAt },
    { key: 'certNo', title: '证件号', width: 180, optional: true, text: (row) => row.certNoMasked, render: (row) => <span className="figure">{row.certNoMasked}</span> },
    { key: 'authStatus', title: '转账授权', width: 84, optional: true, text: (row) => authLabel(row.authStatus) },
    { kind: 'time', key: 'openedAt', title: '开户时间', optional: true, value: (row) => row.openedAt },
    { key: 'failReason', title: '原因', width: 180, optional: true, text: (row) => row.failReason },
  ],
  emptyText: '还没有支付账户，由代理在分账账单中申请开户',
}
