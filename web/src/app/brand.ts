/** Who the client is: title, logo, company and filing come from the web configuration, never from code. */
import { create } from 'zustand'
import { api } from '@/api/client'
import { hosts } from '@/api/hosts'
import type { DataOf } from '@/api/shapes'

export type WebConfig = DataOf<'/web/config'>

/** What a page shows of the client. */
export interface Brand {
  title: string
  logo: string
  company: string
  filing: string
}

/** The neutral brand that the client-hide switch shows. */
export const genericBrand: Brand = {
  title: '共享电单车运营平台',
  logo: './favicon.svg',
  company: '共享电单车',
  filing: '',
}

const HIDE_CLIENT = 'ebike_ops__hideClient'

interface BrandState {
  config: WebConfig | null
  hidden: boolean
  load(domain: string): Promise<void>
  setHidden(hidden: boolean): void
}

async function fetchConfig(domain: string): Promise<WebConfig> {
  try {
    return await api.get('/web/config', { domain }, { quiet: true })
  } catch {
    const response = await fetch('./web-config.json')
    if (!response.ok) throw new Error('no web configuration')
    return (await response.json()) as WebConfig
  }
}

export const useBrandStore = create<BrandState>((set) => ({
  config: null,
  hidden: localStorage.getItem(HIDE_CLIENT) === 'true',
  async load(domain) {
    const config = await fetchConfig(domain)
    hosts.main = config.mainHost
    hosts.financial = config.financialHost
    hosts.device = config.deviceHost
    hosts.appId = config.appId
    hosts.defaultAgentId = config.defaultAgentId
    const chosen = localStorage.getItem(HIDE_CLIENT)
    set({ config, hidden: chosen === null ? config.hideClient : chosen === 'true' })
  },
  setHidden(hidden) {
    localStorage.setItem(HIDE_CLIENT, String(hidden))
    set({ hidden })
  },
}))

/** The brand to show for `config`: the client's own, or the neutral one. */
export function brandOf(config: WebConfig | null, hidden: boolean): Brand {
  if (hidden || !config) return genericBrand
  const { title, logo, company, filing } = config
  return { title: title || genericBrand.title, logo: logo || genericBrand.logo, company, filing }
}

export function useBrand(): Brand {
  const config = useBrandStore((state) => state.config)
  const hidden = useBrandStore((state) => state.hidden)
  return brandOf(config, hidden)
}
