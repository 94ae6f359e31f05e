/**
 * The customer-service widget of a third party. Its script puts an object at `window.customerChat`; the launcher is
 * ours, so that who is not logged in finds nothing to click.
 */

/** Who asks, as the widget shows him to the people who answer. */
export interface ChatVisitor {
  name: string
  phone: string
  company: string
  objectId: string
}

/** What the script must offer. */
export interface ChatVendor {
  open(visitor: ChatVisitor): void
  close?(): void
}

declare global {
  interface Window {
    customerChat?: ChatVendor
  }
}

/** Said when somebody who is not logged in opens the chat. */
export const NOT_LOGGED_IN = '尊敬的用户，您好，登录后才可以和我聊天哦！'

/** A script address that may be loaded: of this server, or over http(s). Null: there is none. */
export function scriptAddress(configured: string, base: string): string | null {
  if (configured.trim() === '') return null
  try {
    const { protocol, href } = new URL(configured, base)
    return protocol === 'http:' || protocol === 'https:' ? href : null
  } catch {
    return null
  }
}

const loading = new Map<string, Promise<ChatVendor>>()

/** Loads the script once; rejects when it does not come or offers nothing. A failed one is tried again the next time. */
export function loadVendor(address: string): Promise<ChatVendor> {
  const known = loading.get(address)
  if (known) return known
  const vendor = new Promise<ChatVendor>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = address
    script.async = true
    script.addEventListener('load', () => {
      if (window.customerChat) resolve(window.customerChat)
      else reject(new Error('the chat script offers nothing'))
    })
    script.addEventListener('error', () => {
      script.remove()
      reject(new Error('the chat script did not load'))
    })
    document.head.append(script)
  })
  loading.set(address, vendor)
  vendor.catch(() => loading.delete(address))
  return vendor
}
