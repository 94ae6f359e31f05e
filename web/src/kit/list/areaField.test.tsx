import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { ConfigProvider } from 'antd'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AgentChoice, type AreaChoice, type AreaChoices, AREAS_MOST } from '../areaChoices'
import { withHeld } from '../choice'
import { pathOf, treeOf } from './areaTree'
import type { Filter, Filters } from './description'
import { FilterRow } from './FilterRow'

const agents: AgentChoice[] = [
  { agentId: '7', company: '湖滨出行' },
  { agentId: '8', company: '海沧出行' },
]
const areas: AreaChoice[] = [
  { id: '21', name: '湖滨南', agentId: '7' },
  { id: '22', name: '湖滨北', agentId: '7' },
  { id: '31', name: '新阳', agentId: '8' },
]
const asked = vi.fn<(what: string) => void>()

function sources(known: readonly AgentChoice[] | null, listed: readonly AreaChoice[] = areas): AreaChoices {
  const source = <Choice,>(what: string, rows: readonly Choice[]) => ({
    queryKey: [what],
    queryFn: () => {
      asked(what)
      return Promise.resolve(rows)
    },
  })
  return { agents: known && source('agents', known), areas: source('areas', listed) }
}

let values: Filters
function Row({ first, choices }: { first: Filters; choices: AreaChoices }) {
  const [now, setNow] = useState(first)
  const filters: Filter[] = [{ kind: 'area', agent: 'agentId', area: 'areaId', label: '服务区', choices }]
  const take = (next: Filters) => {
    values = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''))
    setNow(values)
  }
  return <FilterRow filters={filters} values={now} onChange={take} />
}

async function show(choices: AreaChoices, first: Filters = {}) {
  values = first
  const client = new QueryClient()
  render(
    <QueryClientProvider client={client}>
      <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
        <Row first={first} choices={choices} />
      </ConfigProvider>
    </QueryClientProvider>,
  )
  // Which kind of field it is follows from the answer.
  await waitFor(() => expect(client.isFetching()).toBe(0))
  await act(() => new Promise((wake) => setTimeout(wake)))
}

const field = () => screen.getByRole('combobox', { name: '服务区' })
const open = async (option: string) => {
  fireEvent.mouseDown(field())
  return screen.findByText(option)
}
const shown = () => document.querySelector('.filter-row .ant-select')?.textContent ?? ''

afterEach(() => {
  cleanup()
  asked.mockClear()
})

describe('an agent or one of its areas', () => {
  it('an agent alone sets its parameter, an area both; areas are asked for when they are looked at', async () => {
    await show(sources(agents))
    expect(asked.mock.calls).toEqual([['agents']])
    fireEvent.click(await open('湖滨出行'))
    expect(values).toEqual({ agentId: '7' })
    fireEvent.click(await screen.findByText('湖滨北'))
    expect(values).toEqual({ agentId: '7', areaId: '22' })
    expect(shown()).toContain('湖滨出行 / 湖滨北')
  })

  it('is found by part of a name, whosever it is', async () => {
    await show(sources(agents))
    await open('湖滨出行')
    fireEvent.change(field(), { target: { value: '新阳' } })
    const found = () => screen.getAllByRole('menuitemcheckbox')
    await waitFor(() => expect(found().map((item) => item.textContent)).toEqual(['海沧出行 / 新阳']))
    fireEvent.click(found()[0] as HTMLElement)
    expect(values).toEqual({ agentId: '8', areaId: '31' })
  })

  it('what an address names shows by name, and as it is written when nobody lists it', async () => {
    await show(sources(agents), { agentId: '7', areaId: '21' })
    await waitFor(() => expect(shown()).toContain('湖滨出行 / 湖滨南'))
    cleanup()
    await show(sources(agents), { agentId: '9', areaId: '99' })
    await waitFor(() => expect(shown()).toContain('9 / 99'))
    cleanup()
    await show(sources(agents), { areaId: '31' })
    await waitFor(() => expect(shown()).toContain('海沧出行 / 新阳'))
  })

  it('of one agent, and for those who may not list agents, there are areas alone', async () => {
    for (const known of [agents.slice(0, 1), null]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, on one page
      await show(sources(known))
      // oxlint-disable-next-line no-await-in-loop -- as above
      fireEvent.click(await open('湖滨南'))
      expect(values).toEqual({ agentId: '7', areaId: '21' })
      expect(shown()).toContain('湖滨南')
      expect(screen.queryByText('湖滨出行')).toBeNull()
      cleanup()
    }
    // Else it would narrow the list without being seen.
    await show(sources(null), { agentId: '9' })
    expect(shown()).toContain('9')
  })

  it('says when there are more areas than come', async () => {
    const many = Array.from({ length: AREAS_MOST }, (_, index) => ({ id: `a${index}`, name: `区${index}`, agentId: '7' }))
    await show(sources(agents, many))
    await open('湖滨出行')
    expect(await screen.findByText('只列出前 2,000 个服务区')).toBeTruthy()
  })
})

describe('the tree', () => {
  it('an area leads to its agent, whatever the address says', () => {
    expect([pathOf('', '', areas), pathOf('7', '', areas), pathOf('7', '31', areas), pathOf('', '99', areas)]).toEqual([[], ['7'], ['8', '31'], ['99']])
  })

  it('what is held is among the options once', () => {
    expect(withHeld([{ value: '1', label: '甲' }], '1')).toHaveLength(1)
    expect(withHeld([], undefined)).toEqual([])
    expect(withHeld([], '2', [{ value: '2', label: '乙' }])).toEqual([{ value: '2', label: '乙' }])
    const tree = treeOf(agents, areas, ['7', '99'])
    expect(tree.map(({ value, children }) => [value, children?.map((child) => child.value)])).toEqual([
      ['7', ['99', '21', '22']],
      ['8', ['31']],
    ])
    expect(treeOf(agents, null, []).map(({ isLeaf }) => isLeaf)).toEqual([false, false])
  })
})
