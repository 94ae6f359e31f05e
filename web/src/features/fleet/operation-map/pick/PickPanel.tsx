import { CloseOutlined, FilterOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Popover } from 'antd'
import { useMemo, useState } from 'react'

import { areasOf } from '@/kit/areaChoices'
import type { Pick } from '@/live/messages'

import { schemeOptions, useSchemes } from '@/kit/schemeChoices'
import { type PickName, type PickText } from './pick'
import { PickForm } from './PickForm'
import { pickWords } from './words'
import './pick.css'

interface PickPanelProps {
  text: PickText
  pick: Pick | null
  /** How many of the whole scope are picked; null while that is not known. */
  count: number | null
  onText: (changes: Partial<Record<PickName, string | null>>) => void
}

const whole = new Intl.NumberFormat('zh-CN')
const areaChoices = areasOf([])

/** What is shown beyond the states of the legend: chosen in a panel, told by tags that take back. */
export default function PickPanel({ text, pick, count, onText }: PickPanelProps) {
  const [open, setOpen] = useState(false)
  const areas = useQuery({ ...areaChoices, enabled: open || pick?.areas !== undefined })
  const { schemes } = useSchemes(open || pick?.voltage_schemes !== undefined)
  const options = useMemo(() => schemeOptions(schemes), [schemes])
  const words = useMemo(() => {
    const areaName = (id: string) => areas.data?.find((area) => area.id === id)?.name
    const schemeName = (id: string) => options.find(({ value }) => value === id)?.label
    return pick === null ? [] : pickWords(pick, areaName, schemeName)
  }, [pick, areas.data, options])
  const clear = () => onText(Object.fromEntries(words.map(({ name }) => [name, null])))
  const form = <PickForm text={text} pick={pick} areas={areas.data ?? []} schemes={options} loading={areas.isLoading} onText={onText} />
  return (
    <section className="opmap-pick" aria-label="更多筛选">
      <Popover open={open} onOpenChange={setOpen} trigger="click" placement="rightTop" content={open ? form : null} title="更多筛选">
        <Button icon={<FilterOutlined />} aria-expanded={open}>
          更多筛选
        </Button>
      </Popover>
      {words.length > 0 && (
        <>
          <b className="opmap-pick-count" role="status">
            {count === null ? '…' : `${whole.format(count)} 辆`}
          </b>
          <button type="button" className="opmap-link" onClick={clear}>
            清除
          </button>
          <ul className="opmap-pick-words">
            {words.map((word) => (
              <li key={word.name}>
                <span>{word.text}</span>
                <button type="button" aria-label={`去掉${word.text}`} onClick={() => onText({ [word.name]: null })}>
                  <CloseOutlined aria-hidden />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
