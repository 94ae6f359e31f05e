/** The agents and areas that everything shows. Pure rules first, then the calls. */
import { create } from 'zustand'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { notify } from '../notify'
import { renewToken } from './store'
import { storedIds, storeSelection } from './stored'

/** One entry of the selection dialog. */
export interface Option {
  id: string
  title: string
}

/** What is stored for a choice: nothing when all are chosen, which means all. */
export function selectionToStore(chosen: readonly string[], all: readonly string[]): string[] {
  return all.every((id) => chosen.includes(id)) ? [] : [...chosen]
}

/** What is stored on the first load: the operator's own areas when they are fewer than there are. */
export function firstSelection(own: readonly string[], total: number): string[] {
  return own.length < total ? [...own] : []
}

/** How a selection reads in the header. */
export function selectionLabel(chosen: readonly string[]): string {
  return chosen.length === 0 ? '全选' : String(chosen.length)
}

interface SelectionState {
  agentIds: string[]
  opAreaIds: string[]
}

export const useSelection = create<SelectionState>(() => ({
  agentIds: storedIds('agentIds'),
  opAreaIds: storedIds('opAreaIds'),
}))

const AREAS = '/platform/agent/serviceArea/opMan'

function fetchAreas(agentIds: string[]): Promise<DataOf<typeof AREAS>> {
  const asked = { opManId: localStorage.getItem('opMan'), agentIds: agentIds.join(',') }
  return api.get(AREAS, asked)
}

/** The agents to choose from. */
export async function agentOptions(): Promise<Option[]> {
  const { rows } = await api.get('/platform/agent/account/list')
  return rows.map((row) => ({ id: row.agentId, title: row.company }))
}

/** The areas to choose from, of the chosen agents. */
export async function areaOptions(): Promise<Option[]> {
  const { list } = await fetchAreas(useSelection.getState().agentIds)
  return list.map((area) => ({ id: area.id, title: area.name }))
}

/** With no area chosen yet, asks which ones this operator has and keeps them when they are not all. */
export async function loadFirstSelection(): Promise<void> {
  if (storedIds('opAreaIds').length > 0) return
  try {
    const { list, count } = await fetchAreas(storedIds('agentIds'))
    const opAreaIds = firstSelection(
      list.map((area) => area.id),
      count,
    )
    storeSelection(storedIds('agentIds'), opAreaIds)
    useSelection.setState({ opAreaIds })
  } catch {
    notify.error('错误', '未获取到服务区信息')
  }
}

/** Takes over what another tab has selected. */
export function adoptSelection(): void {
  useSelection.setState({ agentIds: storedIds('agentIds'), opAreaIds: storedIds('opAreaIds') })
}

/** Chooses agents: the areas start anew. */
export async function chooseAgents(agentIds: string[]): Promise<void> {
  await renewToken(agentIds, [])
  useSelection.setState({ agentIds, opAreaIds: [] })
  await loadFirstSelection()
}

export async function chooseAreas(opAreaIds: string[]): Promise<void> {
  const { agentIds } = useSelection.getState()
  await renewToken(agentIds, opAreaIds)
  useSelection.setState({ opAreaIds })
}
