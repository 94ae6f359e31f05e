import { beforeEach, describe, expect, it } from 'vitest'
import { gateFinancial, showsAccount } from '@/app/session/permission'
import { storeAccount, storedAccount } from '@/app/session/stored'
import { cardNumberFault, caretAfter, digitsOf, grouped } from './cardNumber'
import { paymentAccountList } from './description'
import { certificateFault, certificateName, holderFault, identityFault } from './identity'
import { cardInUse, forgetUnlessInUse, keepInUse, mobileOf } from './inUse'
import { applicationOf, draftOf } from './OpeningForm'
import {
  authLabel,
  type BankCard,
  CARD_BOUND,
  CARD_FAILED,
  CARD_PENDING,
  CARD_UNBINDING,
  CARD_UNBOUND,
  cardTag,
  CLOSED,
  COMPANY,
  FAILED,
  FROZEN,
  IN_REVIEW,
  levelLabel,
  liveCard,
  NORMAL,
  NOT_OPENED,
  ownAgentId,
  PERSON,
  SOLE_TRADER,
  statusTag,
  typeLabel,
} from './paymentAccount'
import { account } from './paymentAccount.fixture'
import { closeFault } from './PaymentAccountActs'
import { resultOf } from './ResultDialog'
import { standingOf } from './steps'
import { textOf } from '@/kit/list/cells'

const card = (state: BankCard['state'], digits = '0123'): BankCard => ({
  id: `${state}-${digits}`,
  bankName: '招商银行',
  cardNoMasked: `**** **** **** ${digits}`,
  holder: '陈伟',
  mobileMasked: '139****0001',
  state,
  boundAt: null,
  reason: null,
})

beforeEach(() => localStorage.clear())

describe('the status of an account', () => {
  it('CONST-019 one that is missing reads 正常, as status 2 does, on the list too', () => {
    expect(statusTag(null).label).toBe('正常')
    expect(statusTag(undefined)).toEqual(statusTag(2))
    const status = paymentAccountList.columns.find(({ key }) => key === 'status')
    expect(status && textOf(status, { ...account, status: null })).toBe('正常')
    expect(status && textOf(status, { ...account, status: FROZEN })).toBe('冻结')
  })

  it('AMB-045 the default is for the label alone: without a status nothing opens and no entry shows', () => {
    storeAccount({ id: '9', accountLevel: 2, status: null })
    expect(storedAccount().status).toBeNull()
    expect(showsAccount(storedAccount(), '1')).toBe(false)
    expect(gateFinancial(['financial', 'financial_02', 'financial_06'], storedAccount())).toEqual(['financial', 'financial_02'])
  })

  it('has a word for each number and does not guess at others', () => {
    expect(([0, 1, 2, 3, 4, 5] as const).map((status) => statusTag(status).label)).toEqual(['未开户', '审核中', '正常', '开户失败', '冻结', '销户'])
    // As an older page would meet a newer server's.
    expect(statusTag(9 as 5).label).toBe('--')
    expect(([0, 1, 2, 3, 4] as const).map((state) => cardTag(state).label)).toEqual(['待验证', '已绑定', '验证失败', '解绑中', '已解绑'])
    expect([PERSON, COMPANY, SOLE_TRADER, 9].map(typeLabel)).toEqual(['个人', '企业', '个体户', '--'])
    expect([null, 1, 2, 9].map(levelLabel)).toEqual(['--', '一级（平台）', '二级（加盟商）', '--'])
    expect([null, 0, 1, 2, 3].map(authLabel)).toEqual(['--', '未授权', '授权中', '已授权', '已失效'])
  })

  it('stands on a step of 未开户, 审核中, 正常', () => {
    expect(standingOf(NOT_OPENED)).toEqual({ current: 0, look: 'process', titles: ['未开户', '审核中', '正常'] })
    expect(standingOf(IN_REVIEW)).toMatchObject({ current: 1, look: 'process' })
    expect(standingOf(FAILED)).toEqual({ current: 1, look: 'error', titles: ['已申请', '开户失败', '正常'] })
    expect(standingOf(NORMAL)).toMatchObject({ current: 2, look: 'finish' })
    for (const status of [FROZEN, CLOSED] as const) expect(standingOf(status)).toMatchObject({ current: 2, look: 'error' })
    expect(standingOf(FROZEN).titles[2]).toBe('冻结')
  })
})

describe('whose account it is', () => {
  it('that of the looked-up agent, or of the default one', () => {
    expect(ownAgentId()).toBe('2')
    localStorage.setItem('getAgentid', '7')
    expect(ownAgentId()).toBe('7')
  })
})

describe('what proves an applicant', () => {
  it('an identity number has a check digit', () => {
    expect(identityFault('11010519491231002X')).toBeNull()
    expect(identityFault(' 11010519491231002x ')).toBeNull()
    expect(identityFault('110105194912310021')).toContain('校验位')
    expect(identityFault('440524188001010014')).toBeNull()
    expect(identityFault('11010519491231002')).toContain('18 位')
    expect(identityFault('1101051949123100XX')).toContain('18 位')
  })

  it('a person shows an identity number, anybody else a credit code', () => {
    expect([PERSON, COMPANY, SOLE_TRADER].map(certificateName)).toEqual(['身份证号', '统一社会信用代码', '统一社会信用代码'])
    expect(certificateFault(PERSON, '11010519491231002X')).toBeNull()
    expect(certificateFault(COMPANY, '11010519491231002X')).not.toBeNull()
    expect(certificateFault(SOLE_TRADER, '91350100M000100Y43')).toBeNull()
  })

  it('a card of a company may be in the name of a person or of the company, one of a person only in his', () => {
    for (const number of ['11010519491231002X', '91350100M000100Y43']) expect(holderFault(COMPANY, number)).toBeNull()
    expect(holderFault(COMPANY, '91350100M000100Y44')).not.toBeNull()
    expect(holderFault(PERSON, '11010519491231002X')).toBeNull()
    expect(holderFault(PERSON, '91350100M000100Y43')).not.toBeNull()
  })
})

describe('the number of a bank card', () => {
  it('has 12 to 19 digits, the last of which checks the others', () => {
    expect(cardNumberFault('6222021001122334458')).toBeNull()
    expect(cardNumberFault('6222 0210 0112 2334 458')).toBeNull()
    expect(cardNumberFault('4111111111111111')).toBeNull()
    expect(cardNumberFault('4111111111111112')).toContain('校验')
    expect(cardNumberFault('41111111111')).toContain('12 到 19 位')
    expect(cardNumberFault('')).toContain('12 到 19 位')
  })

  it('is shown in groups of four, and the caret stays behind the digit that was typed', () => {
    expect(grouped('6222021001122334458')).toBe('6222 0210 0112 2334 458')
    expect(grouped('6222')).toBe('6222')
    expect(digitsOf(' 6222-0210 abc 01122334458999 ')).toBe('6222021001122334458')
    for (let count = 0; count <= 19; count += 1) {
      expect(caretAfter(count), `after ${count}`).toBe(grouped('6222021001122334458'.slice(0, count)).length)
    }
  })
})

describe('the card in use', () => {
  const number = '6222021001120123'
  it('STORE-013 STORE-014 stays while it is pending, bound or on its way out', () => {
    for (const state of [CARD_PENDING, CARD_BOUND, CARD_UNBINDING] as const) {
      keepInUse({ cardNo: number, bankMobile: '13900000001' })
      forgetUnlessInUse([card(CARD_UNBOUND, '7777'), card(state)])
      expect(localStorage.getItem('cardNo')).toBe(number)
      expect(localStorage.getItem('bankMobile')).toBe('13900000001')
    }
  })

  it('STORE-013 STORE-014 goes when it failed, was unbound, or another has taken its place', () => {
    for (const cards of [[], [card(CARD_FAILED)], [card(CARD_UNBOUND)], [card(CARD_BOUND, '7777')]]) {
      keepInUse({ cardNo: number, bankMobile: '13900000001' })
      forgetUnlessInUse(cards)
      expect(localStorage.getItem('cardNo')).toBeNull()
      expect(localStorage.getItem('bankMobile')).toBeNull()
      expect(cardInUse()).toBeNull()
    }
  })

  it('tells the mobile of a pending card only where it was bound', () => {
    expect(mobileOf(card(CARD_PENDING))).toBeNull()
    keepInUse({ cardNo: number, bankMobile: '13900000001' })
    expect(mobileOf(card(CARD_PENDING))).toBe('13900000001')
    expect(mobileOf(card(CARD_PENDING, '7777'))).toBeNull()
  })

  it('is the only one of its account', () => {
    expect(liveCard([card(CARD_FAILED), card(CARD_UNBOUND)])).toBeNull()
    expect(liveCard([card(CARD_FAILED), card(CARD_BOUND)])?.state).toBe(CARD_BOUND)
  })

  it('keeps an account from being closed while it waits', () => {
    expect(closeFault([card(CARD_BOUND), card(CARD_FAILED)])).toBeNull()
    expect(closeFault([card(CARD_PENDING)])).toContain('正在验证')
    expect(closeFault([card(CARD_UNBINDING)])).toContain('正在解绑')
  })
})

describe('what is sent and what is kept', () => {
  const fields = { accountType: PERSON, customerName: ' 陈伟 ', certNo: ' 11010519491231002x ', contact: '陈伟', phone: '13900000001 ' }
  it('an application is trimmed, and its letters are large', () => {
    expect(applicationOf(fields, '7')).toEqual({
      agentId: '7',
      accountType: PERSON,
      customerName: '陈伟',
      certNo: '11010519491231002X',
      contact: '陈伟',
      phone: '13900000001',
    })
  })

  it('a draft holds nothing that identifies a person', () => {
    expect(JSON.stringify(draftOf(fields))).toBe(`{"accountType":${PERSON}}`)
    const company = { ...fields, accountType: COMPANY, customerName: '鹭岛出行', certNo: '91350100M000100Y43' }
    expect(draftOf(company)).toEqual({ accountType: COMPANY, customerName: '鹭岛出行', certNo: '91350100M000100Y43' })
  })

  it('a result names the level when it passed, and the reason when it did not', () => {
    expect(resultOf({ status: NORMAL, accountLevel: 1, reason: '旧' }, account)).toEqual({ accountId: '9', version: 3, status: 2, accountLevel: 1 })
    expect(resultOf({ status: FAILED, accountLevel: 1, reason: ' 证件过期 ' }, account)).toEqual({
      accountId: '9',
      version: 3,
      status: 3,
      reason: '证件过期',
    })
  })
})
