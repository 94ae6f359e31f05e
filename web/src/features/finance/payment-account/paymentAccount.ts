import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { accountLevelLabels, accountStatusLabels, accountTypeLabels, cardStateLabels } from '@/api/generated/labels'
import { hosts } from '@/api/hosts'
import type { BodyOf, DataOf } from '@/api/shapes'
import { stateStyle } from '@/kit/theme'
import { labelOf, tagOf } from '@/kit/choice'
import { EMPTY } from '@/kit/format'
import type { TagStyle } from '@/kit/StateTag'

/** Calls of the payment account; also the first part of their query keys. */
export const CUSTOMER = '/Pay/customer'
export const LIST_PATH = `${CUSTOMER}/list` as const
/** The read model whose changes the pages follow. */
export const ACCOUNT_TABLE = 'payment_account'

export const NOT_OPENED = 0
export const IN_REVIEW = 1
export const NORMAL = 2
export const FAILED = 3
export const FROZEN = 4
export const CLOSED = 5

export const PERSON = 0
export const COMPANY = 1
export const SOLE_TRADER = 2

export const CARD_PENDING = 0
export const CARD_BOUND = 1
export const CARD_FAILED = 2
export const CARD_UNBINDING = 3
export const CARD_UNBOUND = 4

/** Longest texts that the server takes. */
export const NAME_MAX = 64
export const PERSON_MAX = 20
export const BANK_MAX = 32
export const REASON_MAX = 200

type Told = DataOf<'/Pay/customer/detail'>
type Status = Told['status']

/** A payment account as lists show it; what identifies people is masked. */
export type PaymentAccount = Omit<Told, 'cards' | 'status'> & {
  /** Missing reads as 2 on labels, and is not 2 for anything that it decides. */
  status: Status | null
}

/** A bank card of an account; its number and mobile masked. */
export type BankCard = NonNullable<Told['cards']>[number]

export interface PaymentAccountDetail extends PaymentAccount {
  cards: BankCard[]
}

const statusColors: Readonly<Record<Status, string>> = {
  0: stateStyle[7].color,
  1: stateStyle[4].color,
  2: stateStyle[0].color,
  3: stateStyle[5].color,
  4: stateStyle[2].color,
  5: stateStyle[7].color,
}

/** What a label shows while the status is missing. Only the label: nothing is decided by it. */
const SHOWN_BY_DEFAULT = NORMAL

/** The status in words and colour; one that is not known yet looks grey. */
export function statusTag(status: Status | null | undefined): TagStyle {
  return tagOf(status ?? SHOWN_BY_DEFAULT, accountStatusLabels, statusColors)
}

const cardColors: Readonly<Record<BankCard['state'], string>> = {
  0: stateStyle[4].color,
  1: stateStyle[0].color,
  2: stateStyle[5].color,
  3: stateStyle[2].color,
  4: stateStyle[7].color,
}

export const cardTag = (state: BankCard['state']): TagStyle => tagOf(state, cardStateLabels, cardColors)

export const accountTypes = [
  { value: COMPANY, label: accountTypeLabels[COMPANY] },
  { value: SOLE_TRADER, label: accountTypeLabels[SOLE_TRADER] },
  { value: PERSON, label: accountTypeLabels[PERSON] },
] as const

export const typeLabel = (type: number) => labelOf(accountTypeLabels, type)

export const levelLabel = (level: number | null) => labelOf(accountLevelLabels, level)

/** Levels that an account is opened with. */
export const openingLevels = [
  { value: 2, label: accountLevelLabels[2], help: '可以查看账单和提出异议' },
  { value: 1, label: accountLevelLabels[1], help: '没有账单明细和异议账单' },
] as const

const authorisations: readonly string[] = ['未授权', '授权中', '已授权', '已失效']

export function authLabel(status: number | null): string {
  return authorisations[status ?? -1] ?? EMPTY
}

/** The card that is bound or on its way; at most one of an account is. */
export function liveCard(cards: readonly BankCard[]): BankCard | null {
  return cards.find(({ state }) => [CARD_PENDING, CARD_BOUND, CARD_UNBINDING].includes(state)) ?? null
}

/** The agent whose account calls of the financial host concern. */
export function ownAgentId(): string {
  return localStorage.getItem('getAgentid') ?? hosts.defaultAgentId
}

/** The account of an agent as the login stores it; null while none was opened. */
export const accountOf = (agentId: string) =>
  queryOptions({
    queryKey: [CUSTOMER, 'of', agentId],
    queryFn: ({ signal }) => api.get(`${CUSTOMER}/getAccountInfo`, { agentId }, { signal }),
  })

export const paymentAccountDetail = (accountId: string) =>
  queryOptions({
    queryKey: [CUSTOMER, 'detail', accountId],
    queryFn: async ({ signal }): Promise<PaymentAccountDetail> => {
      const { cards, ...account } = await api.get(`${CUSTOMER}/detail`, { accountId }, { signal })
      return { ...account, cards: cards ?? [] }
    },
  })

/** What is filled in to open an account. */
export type Application = BodyOf<'/Pay/customer/openAccount'>

/** A step of an account; what it needs besides depends on the step. */
export type StatusChange = BodyOf<'/Pay/customer/state', 'put'>

/** What is filled in to bind a card. */
export type CardValues = Omit<BodyOf<'/Pay/customer/bindCard'>, 'accountId'>
