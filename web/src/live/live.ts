/**
 * The live connection of this tab: one socket, the fleet it fills, and what React may know of both.
 * Nothing is opened until somebody watches a topic.
 */
import { BASE, hosts } from '@/api/hosts'
import { ACCESS_TOKEN, readCookie } from '@/api/storage'

import { mayResume } from './backoff'
import { BikeNames } from './bikeNames'
import { useConnectionStore } from './connection'
import { BadFleetFrame } from './fleetFrame'
import { FleetFeed } from './fleetFeed'
import type { Viewport } from './messages'
import { LiveSocket, type Credentials, type Surroundings } from './socket'
import { FLEET } from './topics'
import { readTotals, useTotalsStore, type FleetTotals } from './totals'

const TICK_MS = 1_000
const TOTALS_EVERY_MS = 500
const HIDDEN_GRACE_MS = 10_000
/** Looks at nothing: for pages that want the totals without a map. */
const NOWHERE: Viewport = { bbox: [0, 0, 0, 0], zoom: 14 }

/** The address of the socket, given the main host of the web configuration ('' means this origin). */
export function socketUrl(mainHost: string, origin: string): string {
  const base = new URL(mainHost === '' ? origin : mainHost, origin)
  const path = `${base.pathname.replace(/\/$/, '')}${BASE}/ws`
  return `${base.protocol === 'https:' ? 'wss:' : 'ws:'}//${base.host}${path}`
}

function credentials(): Credentials | null {
  const token = localStorage.getItem(ACCESS_TOKEN)
  const t = readCookie('_t')
  return token && t ? { token, t } : null
}

const browser: Surroundings = {
  open: () => new WebSocket(socketUrl(hosts.main, location.origin)),
  credentials,
  now: () => Date.now(),
  random: () => Math.random(),
  after: (ms, run) => window.setTimeout(run, ms),
  cancel: (timer) => window.clearTimeout(timer),
}

/** The bikes and cluster counts of the watched viewport. */
export const fleet = new FleetFeed()

/** Buffers that could not be read since the page began; a number above 0 is a defect worth reporting. */
export const damage = { frames: 0 }

export const liveSocket = new LiveSocket(browser, {
  binary(buffer, now) {
    try {
      return fleet.accept(buffer, now).timeMs
    } catch (error) {
      if (!(error instanceof BadFleetFrame)) throw error
      damage.frames += 1
      // What is missing from a damaged buffer would stay wrong until the bike moves: ask for all.
      if (viewport !== null) lookSoon(viewport)
      return 0
    }
  },
  ready(awayMs) {
    // Another process gives out other slots.
    if (awayMs === Number.POSITIVE_INFINITY) bikeNames.clear()
    // The difference since the last tick is that of the viewport watched then.
    const since = viewport !== null && viewport === resumable && mayResume(fleet.since, awayMs) ? fleet.since : undefined
    if (since === undefined) resumable = null
    applyLook(since)
  },
  looking(at) {
    fleet.zoom = at.zoom
    resumable = at
  },
  ended(code, promot) {
    useTotalsStore.getState().set(null)
    whenEnded(code, promot)
  },
})

/** Which bike is in which slot. */
export const bikeNames = new BikeNames(
  (slot) => liveSocket.who(slot),
  (ms, run) => window.setTimeout(run, ms),
)

let whenEnded: (code: string, promot: string) => void = () => {}

/** Names who is told that the server ended the session: with its code, and words for the user. */
export function plugEnded(listener: typeof whenEnded): void {
  whenEnded = listener
}

let viewport: Viewport | null = null
/** The viewport that the server said it streams to the stores; null when another one was asked for since. */
let resumable: Viewport | null = null
let hidden = false
let hiddenTimer: number | null = null
let relookTimer: number | null = null

function applyLook(since?: number): void {
  liveSocket.look(hidden ? null : (viewport ?? NOWHERE), since)
}

/** Who looks: the operation map stays open behind other pages, a wall among them. */
export type MapViewer = 'map' | 'wall' | 'office'
/** What each of them looks at; the one who looked last is served. */
const looks = new Map<MapViewer, Viewport>()

/** The map of `viewer` looks at `next`; null when it is gone, which lets the one before it look again. */
export function lookAt(next: Viewport | null, viewer: MapViewer = 'map'): void {
  const served = [...looks.keys()].at(-1)
  looks.delete(viewer)
  if (next !== null) looks.set(viewer, next)
  const serving = [...looks.keys()].at(-1)
  viewport = serving === undefined ? null : (looks.get(serving) ?? null)
  resumable = null
  if (next === null && served === viewer) forgetFleet()
  applyLook()
}

/** A map that goes and comes at once looks where the last one looked: without this, nothing would be sent to it. */
function forgetFleet(): void {
  fleet.clear()
  liveSocket.lookAnew()
}

function lookSoon(at: Viewport): void {
  if (relookTimer !== null) return
  relookTimer = window.setTimeout(() => {
    relookTimer = null
    if (viewport !== at) return
    liveSocket.look(null)
    window.setTimeout(() => applyLook(), 50)
  }, TICK_MS)
}

let totals: FleetTotals | null = null
let totalsTimer: number | null = null

function takeTotals(data: unknown): void {
  totals = readTotals(data) ?? totals
  totalsTimer ??= window.setTimeout(() => {
    totalsTimer = null
    useTotalsStore.getState().set(totals)
  }, TOTALS_EVERY_MS)
}

let fleetUsers = 0
let leaveFleet: (() => void) | null = null

/** Watches the fleet topic until the answer is called. */
export function watchFleet(): () => void {
  fleetUsers += 1
  leaveFleet ??= liveSocket.watch(FLEET, { data: takeTotals })
  let left = false
  return () => {
    if (left) return
    left = true
    fleetUsers -= 1
    if (fleetUsers > 0) return
    leaveFleet?.()
    leaveFleet = null
    forgetFleet()
  }
}

let tickUsers = 0
let tickTimer: number | null = null

function tick(): void {
  fleet.settle(Date.now())
  useConnectionStore.getState().set(liveSocket.state(), liveSocket.clock.offsetMs)
}

/** Keeps the connection state written once a second until the answer is called. */
export function watchConnection(): () => void {
  tickUsers += 1
  if (tickTimer === null) {
    tick()
    tickTimer = window.setInterval(tick, TICK_MS)
  }
  return () => {
    tickUsers -= 1
    if (tickUsers > 0 || tickTimer === null) return
    window.clearInterval(tickTimer)
    tickTimer = null
  }
}

/** Other agents or areas were chosen: what is known of the fleet is that of others. */
export function chooseAnew(): void {
  fleet.clear()
  bikeNames.clear()
  totals = null
  useTotalsStore.getState().set(null)
  resumable = null
  liveSocket.again()
}

/** Forgets the connection and all it brought; for signing out. */
export function stopLive(): void {
  liveSocket.stop()
  fleet.clear()
  bikeNames.clear()
  totals = null
  useTotalsStore.getState().set(null)
}

function onVisibility(): void {
  if (hiddenTimer !== null) window.clearTimeout(hiddenTimer)
  hiddenTimer = null
  if (document.hidden) {
    hiddenTimer = window.setTimeout(() => {
      hidden = true
      resumable = null
      applyLook()
    }, HIDDEN_GRACE_MS)
    return
  }
  liveSocket.hurry()
  if (!hidden) return
  hidden = false
  applyLook()
}

document.addEventListener('visibilitychange', onVisibility)
window.addEventListener('online', () => liveSocket.hurry())
