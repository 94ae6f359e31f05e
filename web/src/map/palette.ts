/**
 * Inks of the map that are no state: the ground by day and by night, fences, labels. Greys, so that
 * the only strong colours on the map are the states of bikes.
 */
import type { Daylight } from './daylight'
import { ink, night, page } from '@/kit/theme'

export type { Daylight }

export interface MapPalette {
  /** What lies beyond the known land. */
  readonly outside: string
  readonly land: string
  readonly water: string
  readonly park: string
  readonly district: string
  /** Fill of roads, by class 1 (main) to 3. */
  readonly road: readonly [string, string, string]
  readonly roadEdge: string
  readonly label: string
  readonly strongLabel: string
  readonly waterLabel: string
  /** Edge around letters. */
  readonly labelEdge: string
  readonly grid: string
  /** Edge around the signs of bikes, so that they stay apart where they crowd. */
  readonly signEdge: string
  /** Fill of clusters and markers. */
  readonly panel: string
  readonly panelText: string
  readonly panelLine: string
  readonly area: string
  /** Over everything outside the areas. */
  readonly shade: string
  readonly parking: string
  readonly noStop: string
  /** Darker than no-stop by day, lighter by night: the harder ban of the two. */
  readonly noRide: string
  /** What people marked, which forbids nothing. */
  readonly custom: string
  readonly accent: string
  /** Every sign when the data is old. */
  readonly stale: string
}

const day: MapPalette = {
  outside: '#EDF0F3',
  land: '#F3F5F7',
  water: '#CBDDEA',
  park: '#DFEADF',
  district: '#B4BECB',
  road: ['#FFFFFF', '#FFFFFF', '#FCFDFE'],
  roadEdge: '#D3DAE3',
  label: '#5B6676',
  strongLabel: '#3A4554',
  waterLabel: '#5B83A3',
  labelEdge: '#F7F9FA',
  grid: '#DDE3EA',
  signEdge: '#FFFFFF',
  panel: page.panel,
  panelText: page.text,
  panelLine: page.line,
  area: '#3B6EA8',
  shade: 'rgba(62, 78, 99, 0.1)',
  parking: page.accent,
  noStop: ink.danger,
  noRide: '#8F1D4F',
  custom: page.weakText,
  accent: page.accent,
  stale: '#A3ABB8',
}

const dark: MapPalette = {
  outside: '#070E17',
  land: night.background,
  water: '#0D2236',
  park: '#0C1E22',
  district: '#2C4561',
  road: ['#2A4059', '#1F3247', '#182838'],
  roadEdge: '#0A1420',
  label: '#7F95AF',
  strongLabel: '#A9BCD2',
  waterLabel: '#4E7EA8',
  labelEdge: '#0A1420',
  grid: '#14222F',
  signEdge: '#0A1420',
  panel: night.panel,
  panelText: night.text,
  panelLine: night.line,
  area: '#5B93CF',
  shade: 'rgba(0, 0, 0, 0.34)',
  parking: night.accent,
  noStop: ink.danger,
  noRide: '#F07FB0',
  custom: night.weakText,
  accent: night.accent,
  stale: '#5C6878',
}

export const mapPalettes: Readonly<Record<Daylight, MapPalette>> = { day, night: dark }
