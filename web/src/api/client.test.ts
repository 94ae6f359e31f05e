import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { api, HttpError, Refusal, setListener } from './client'
import { BASE, hosts } from './hosts'
import { lost, says, type Server, startServer, TOKEN, tokenOf } from './server.fixture'
import { ACCESS_TOKEN, clearSignature, saveSignature } from './storage'
import { randomBytes, toBase64Url } from './bytes'

const LIST = '/platform/permission/role'
const failed = vi.fn<(title: string, description: string) => void>()
const signedOut = vi.fn<(words: string | null) => void>()

let server: Server
beforeEach(() => {
  failed.mockClear()
  signedOut.mockReset()
  signedOut.mockImplementation(() => localStorage.removeItem(ACCESS_TOKEN))
  setListener({ failed, signedOut })
  localStorage.setItem(ACCESS_TOKEN, TOKEN)
  saveSignature({ _t: 't', _k: toBase64Url(randomBytes(32)) }, Date.now())
  server = startServer()
})
afterEach(() => {
  vi.unstubAllGlobals()
  clearSignature()
  localStorage.clear()
})

const get = () => api.get(LIST).catch((error: unknown) => error)

describe('what is told of a call that fails', () => {
  it('ERR-001 ERR-002 403 is Forbidden, with the words of the server', async () => {
    server.answers(LIST, says({ message: '没有权限', suc: false, error: { promot: '没有权限' } }, 403))
    await get()
    expect(failed.mock.calls).toEqual([['Forbidden', '没有权限']])
    expect(signedOut).not.toHaveBeenCalled()
  })

  it('ERR-003 404 is 错误 / 请求错误，未找到该资源', async () => {
    server.answers(LIST, says({ message: '没有这个地址' }, 404))
    await get()
    expect(failed.mock.calls).toEqual([['错误', '请求错误，未找到该资源']])
  })

  it('ERR-004 401 is 未授权 / 授权验证失败, and ends the session', async () => {
    server.answers(LIST, says({ message: '登录已失效' }, 401))
    expect(await get()).toMatchObject({ status: 401 })
    expect(failed.mock.calls).toEqual([['未授权', '授权验证失败']])
    expect(signedOut.mock.calls).toEqual([[null]])
  })

  it('whose account was disabled is told so where he lands', async () => {
    const error = { code: 'operator-disabled', promot: '账号已停用，请联系管理员' }
    server.answers(LIST, says({ message: error.promot, suc: false, error }, 401))
    await get()
    expect(signedOut.mock.calls).toEqual([['账号已停用，请联系管理员']])
  })

  it('ERR-007 no answer is 错误 / 网络出现问题，请稍后再试', async () => {
    server.answers(LIST, lost)
    expect(await get()).toBeInstanceOf(HttpError)
    expect(failed.mock.calls).toEqual([['错误', '网络出现问题，请稍后再试']])
  })

  it('AMB-108 403 without message tells error.promot', async () => {
    server.answers(LIST, says({ suc: false, error: { promot: '没有权限' } }, 403))
    await get()
    expect(failed.mock.calls).toEqual([['Forbidden', '没有权限']])
  })

  it('who says it himself is not doubled', async () => {
    server.answers(LIST, says({ message: '没有权限' }, 403))
    await api.get(LIST, {}, { quiet: true }).catch(() => undefined)
    expect(failed).not.toHaveBeenCalled()
  })
})

describe('a file', () => {
  const EXPORT = '/Pay/customer/list/export'
  const taken = (body: string) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { headers })))
    return api.download(EXPORT)
  }

  it('is refused in the words of either host', async () => {
    const main = taken(JSON.stringify({ suc: false, error: { code: 'export-span', promot: '时间范围太长' } }))
    await expect(main).rejects.toMatchObject({ text: '时间范围太长' })
    const financial = taken(JSON.stringify({ success: false, data: null, msg: '账户不存在' }))
    await expect(financial).rejects.toMatchObject({ text: '账户不存在' })
  })

  it('that is JSON itself is no refusal', async () => {
    expect(await (await taken('{"success":true}')).json()).toEqual({ success: true })
  })
})

describe('how calls travel', () => {
  /** The headers of every call, as they leave. */
  const watchHeaders = () => {
    const left: Headers[] = []
    const network = globalThis.fetch
    vi.stubGlobal('fetch', (address: string, init: RequestInit) => {
      left.push(new Headers(init.headers))
      return network(address, init)
    })
    return left
  }
  const account = async () => {
    server.answers('/Pay/customer/getAccountInfo', says({ success: true, data: null, msg: '' }))
    const left = watchHeaders()
    await api.get('/Pay/customer/getAccountInfo', {})
    await get()
    return left
  }

  it('API-008 a plain answer with suc false reaches the caller as it came, and nobody else is told', async () => {
    const answer = { suc: false, data: { left: 3 }, error: { code: 'in-use', promot: '角色使用中', promt: '角色使用中' } }
    server.answers(LIST, says(answer))
    const refusal = await get()
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal).toMatchObject({ code: 'in-use', text: '角色使用中' })
    expect((refusal as Refusal).cause).toEqual(answer)
    expect(failed).not.toHaveBeenCalled()
    expect(signedOut).not.toHaveBeenCalled()
  })

  it('API-008 a plain answer with suc true is taken as it is, without a box', async () => {
    const data = [{ id: '31', name: '运营' }]
    server.answers(LIST, says({ suc: true, data }))
    expect(await get()).toEqual(data)
  })

  it('API-010 API-011 API-012 financial calls carry phone, agentId and a traceId, main calls neither phone nor agentId', async () => {
    localStorage.setItem('opMan', '13812345678')
    localStorage.setItem('getAgentid', '7')
    const [financial, main] = await account()
    expect([financial?.get('phone'), financial?.get('agentId')]).toEqual(['13812345678', '7'])
    expect(financial?.get('traceId')).toMatch(/^[\w-]{1,64}$/)
    expect(main?.get('traceId')).not.toBe(financial?.get('traceId'))
    expect([main?.has('phone'), main?.has('agentId')]).toEqual([false, false])
  })

  it('API-013 without a stored getAgentid the agentId of financial calls is 2', async () => {
    const [financial] = await account()
    expect(financial?.get('agentId')).toBe('2')
  })

  it('API-009 API-014 calls go to the host that their kind is configured for', async () => {
    const addresses: string[] = []
    vi.stubGlobal('fetch', async (address: string) => {
      addresses.push(address)
      return new Response('{"suc":true,"data":null}')
    })
    Object.assign(hosts, { main: '', financial: 'https://pay.example.com', device: 'https://device.example.com' })
    try {
      await api.get('/Pay/customer/getAccountInfo')
      await api.download('/Business/dissent/page')
      await api.post('/mieba/platform/opman/device/verification', { device_type: 1, mobilePhoneNumber: '', device_code: '', device_name: '' })
      await get()
    } finally {
      Object.assign(hosts, { main: '', financial: '', device: '' })
    }
    expect(addresses.map((address) => address.split('?')[0])).toEqual([
      'https://pay.example.com/Pay/customer/getAccountInfo',
      'https://pay.example.com/Business/dissent/page',
      'https://device.example.com/mieba/platform/opman/device/verification',
      `${BASE}${LIST}`,
    ])
  })
})

describe('many calls at once', () => {
  it('AMB-006 a burst of 401 ends the session once and tells it once', async () => {
    server.answers(LIST, says({ message: '登录已失效' }, 401))
    await Promise.all(Array.from({ length: 8 }, () => get()))
    expect(failed).toHaveBeenCalledOnce()
    expect(signedOut).toHaveBeenCalledOnce()
  })

  it('one that is built when the session has ended is refused quietly', async () => {
    server.answers(LIST, says({ message: '登录已失效' }, 401))
    localStorage.removeItem(ACCESS_TOKEN)
    expect(await get()).toMatchObject({ status: 401 })
    expect(failed).not.toHaveBeenCalled()
    expect(signedOut).not.toHaveBeenCalled()
  })

  it('cookies that ran out end the session, without asking the server', async () => {
    clearSignature()
    await Promise.all([get(), get()])
    expect(server.sent).toEqual([])
    expect(signedOut).toHaveBeenCalledOnce()
  })
})

describe('an answer that breaks off', () => {
  const half = async () => new Response('{"suc":tr', { status: 200 })

  it('is no answer', async () => {
    vi.stubGlobal('fetch', half)
    expect(await get()).toMatchObject({ status: 0 })
    expect(failed.mock.calls).toEqual([['错误', '网络出现问题，请稍后再试']])
  })

  it('is nothing at all when the page is being left: the next page needs the session', async () => {
    vi.stubGlobal('fetch', half)
    window.dispatchEvent(new Event('beforeunload'))
    const waiting = new Promise((resolve) => setTimeout(() => resolve('nothing'), 30))
    expect(await Promise.race([get(), waiting])).toBe('nothing')
    expect(failed).not.toHaveBeenCalled()
    window.dispatchEvent(new Event('pageshow'))
  })
})

describe('a token that another tab replaced while a call was under way', () => {
  const newer = tokenOf({ userId: '900', sid: 's2' })
  const refusedAfterRenewal = () => {
    localStorage.setItem(ACCESS_TOKEN, newer)
    return says({ message: '登录已失效' }, 401)
  }

  it('does not end the new session: the call is made again with the newer one', async () => {
    server.answers(LIST, () => {
      server.answers(LIST, says({ suc: true, data: ['角色'] }))
      return refusedAfterRenewal()
    })
    expect(await get()).toEqual(['角色'])
    expect(server.sent.map((sent) => sent.token)).toEqual([TOKEN, newer])
    expect(signedOut).not.toHaveBeenCalled()
  })

  it('a command made again stays the same command', async () => {
    server.answers(LIST, refusedAfterRenewal)
    await api.post(LIST, { name: '甲', codes: [] }).catch(() => undefined)
    expect(server.sent).toHaveLength(2)
    expect(server.sent[0]?.idempotencyKey).toBe(server.sent[1]?.idempotencyKey)
    // Refused again with the newest token: now it is over.
    expect(signedOut).toHaveBeenCalledOnce()
  })
})
