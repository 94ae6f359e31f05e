import { CloseOutlined } from '@ant-design/icons'
import { App, Dropdown, type MenuProps } from 'antd'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import { close, closeAll, closeLeft, closeRight, fullPath, readPath, type Tab, tabLabel, type Tabs } from './tabs'
import { showTabs, useTabs } from './tabStore'

type Closing = (tabs: Tabs, id: number) => Tabs

/** The open pages in one line: a click shows one, a right click offers to close some. */
export function TabBar() {
  const tabs = useTabs()
  const navigate = useNavigate()
  const { message } = App.useApp()
  const bar = useRef<HTMLDivElement>(null)

  const { active } = tabs
  useEffect(() => {
    bar.current?.querySelector(`[data-tab="${active}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [active])

  /** Closes by `closing`; says `nothing` when that closes none. */
  const run = (closing: Closing, id: number, nothing?: string) => {
    const next = closing(tabs, id)
    if (next === tabs && nothing) void message.warning(nothing)
    else showTabs(next)
  }
  const menuOf = (id: number): MenuProps => ({
    items: [
      { key: 'one', label: '关闭当前标签', disabled: tabs.open.length === 1, onClick: () => run(close, id) },
      { key: 'right', label: '关闭右侧', onClick: () => run(closeRight, id, '右侧没有标签') },
      { key: 'left', label: '关闭左侧', onClick: () => run(closeLeft, id, '左侧没有标签') },
      { key: 'all', label: '关闭全部', onClick: () => run(closeAll, id) },
    ],
  })
  const press = (event: KeyboardEvent, tab: Tab) => {
    if (event.key === 'Delete') {
      event.preventDefault()
      run(close, tab.id)
      // What is left takes the focus, so that the keys go on working.
      setTimeout(() => bar.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus())
      return
    }
    const place = tabs.open.indexOf(tab)
    const places: Record<string, number> = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: tabs.open.length - 1 }
    const to = places[event.key]
    if (to === undefined) return
    event.preventDefault()
    const all = bar.current?.querySelectorAll<HTMLElement>('[role="tab"]')
    all?.[(to + tabs.open.length) % tabs.open.length]?.focus()
  }

  return (
    <div className="tab-bar" role="tablist" aria-label="已打开的页面" ref={bar}>
      {tabs.open.map((tab) => {
        const shown = tab.id === active
        const label = tabLabel(tab, tabs.open)
        return (
          <Dropdown key={tab.id} trigger={['contextMenu']} menu={menuOf(tab.id)} autoFocus>
            <div data-tab={tab.id} className={shown ? 'tab tab-active' : 'tab'} role="presentation">
              <button
                type="button"
                role="tab"
                aria-selected={shown}
                aria-controls="content"
                tabIndex={shown ? 0 : -1}
                title={readPath(tab.location)}
                onClick={() => void navigate(fullPath(tab.location))}
                onKeyDown={(event) => press(event, tab)}
              >
                {label}
              </button>
              {tabs.open.length > 1 && (
                <button type="button" className="tab-close" tabIndex={-1} aria-label={`关闭 ${label}`} onClick={() => run(close, tab.id)}>
                  <CloseOutlined />
                </button>
              )}
            </div>
          </Dropdown>
        )
      })}
    </div>
  )
}
