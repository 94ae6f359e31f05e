/** Base addresses, from the web configuration; empty means the address that served the page. */
export const hosts = { main: '', financial: '', device: '', defaultAgentId: '2', appId: '' }

/** Main calls live below this path. */
export const BASE = '/ebike/v3/backend'

/** Which of the hosts a call belongs to. */
export type Host = 'main' | 'financial' | 'device'

/** The host of `path` and the path as it is sent (what the cipher binds to). */
export function place(path: string): { host: Host; sent: string } {
  if (path.startsWith('/Pay/') || path.startsWith('/Business/')) return { host: 'financial', sent: path }
  if (path.startsWith('/mieba/')) return { host: 'device', sent: path }
  return { host: 'main', sent: path.startsWith(`${BASE}/`) ? path : BASE + path }
}

const plain = new Set([
  `${BASE}/web/config`,
  `${BASE}/auth/publicKey`,
  `${BASE}/auth/verifySign`,
  `${BASE}/auth/sms/code`,
  `${BASE}/auth/obs/sms/code`,
  '/mieba/platform/opman/device/verification',
])

/** Whether the call goes unwrapped: it is made before there is a key. */
export function isPlain(sent: string): boolean {
  return plain.has(sent)
}
