import { Checkbox, Select, Slider } from 'antd'
import { useState } from 'react'

import { alarmStateLabels, operationStateLabels, ridingStateLabels } from '@/api/generated/labels'
import type { AreaChoice } from '@/kit/areaChoices'
import { optionsOf } from '@/kit/choice'
import type { FilterOption } from '@/kit/list/description'
import type { Pick } from '@/live/messages'

import { idleBands, type PickName, type PickText, reasonLabels } from './pick'
import { idleWord } from './words'

interface PickFormProps {
  text: PickText
  pick: Pick | null
  areas: readonly AreaChoice[]
  schemes: readonly FilterOption[]
  loading: boolean
  onText: (changes: Partial<Record<PickName, string | null>>) => void
}

const list = (text: string | undefined): string[] => (text ? text.split(',') : [])
const joined = (values: readonly string[]): string | null => (values.length === 0 ? null : values.join(','))

export function PickForm({ text, pick, areas, schemes, loading, onText }: PickFormProps) {
  return (
    <div className="opmap-pick-form">
      <Several label="服务区" name="area" text={text} onText={onText} loading={loading} options={areas.map(({ id, name }) => ({ value: id, label: name }))} />
      <Several label="骑行状态" name="ride" text={text} onText={onText} options={optionsOf(ridingStateLabels)} />
      <Several label="运维状态" name="ops" text={text} onText={onText} options={optionsOf(operationStateLabels)} />
      <Several label="告警" name="alarm" text={text} onText={onText} options={optionsOf(alarmStateLabels)} />
      <Several label="不可租原因" name="why" text={text} onText={onText} options={optionsOf(reasonLabels)} />
      <Several label="电压方案" name="volt" text={text} onText={onText} options={schemes} />
      <div className="opmap-pick-field">
        <span>标签</span>
        <Select
          mode="tags"
          open={false}
          suffixIcon={null}
          placeholder="输入后回车，可填多个"
          aria-label="标签"
          tokenSeparators={[',', '，']}
          value={list(text.tag)}
          onChange={(tags: string[]) => onText({ tag: joined(tags) })}
        />
      </div>
      <div className="opmap-pick-field">
        <span>闲置时长</span>
        <Select
          allowClear
          placeholder="不限"
          aria-label="闲置时长"
          value={text.idle ?? null}
          options={idleBands.map((band) => {
            const [from, to] = band.split('-')
            return { value: band, label: idleWord(Number(from), to === '' ? null : Number(to)) }
          })}
          onChange={(band: string | null | undefined) => onText({ idle: band ?? null })}
        />
      </div>
      <Checkbox checked={text.lost === '1'} onChange={({ target }) => onText({ lost: target.checked ? '1' : null })}>
        <span title="闲置一天以上，且是周边 5 辆以上闲置车辆平均的 4 倍以上">疑似丢失</span>
      </Checkbox>
      <SocRange value={pick?.soc_percent ?? [0, 100]} onValue={([from, to]) => onText({ soc: from === 0 && to === 100 ? null : `${from}-${to}` })} />
    </div>
  )
}

interface SeveralProps {
  label: string
  name: PickName
  text: PickText
  onText: PickFormProps['onText']
  options: readonly { value: string; label: string }[]
  loading?: boolean
}

function Several({ label, name, text, onText, options, loading = false }: SeveralProps) {
  return (
    <div className="opmap-pick-field">
      <span>{label}</span>
      <Select
        mode="multiple"
        allowClear
        maxTagCount="responsive"
        placeholder="不限"
        aria-label={label}
        loading={loading}
        showSearch={{ optionFilterProp: 'label' }}
        value={list(text[name])}
        options={[...options]}
        onChange={(values: string[]) => onText({ [name]: joined(values) })}
      />
    </div>
  )
}

/** Asks for what is dragged to when the hand lets go, not on the way. */
function SocRange({ value, onValue }: { value: readonly [number, number]; onValue: (value: [number, number]) => void }) {
  const [dragged, setDragged] = useState<[number, number] | null>(null)
  const shown = dragged ?? [value[0], value[1]]
  return (
    <div className="opmap-pick-field">
      <span>
        电量 {shown[0]}–{shown[1]}%
      </span>
      <Slider
        range
        min={0}
        max={100}
        value={shown}
        ariaLabelForHandle={['电量下限', '电量上限']}
        onChange={(next) => setDragged([next[0] ?? 0, next[1] ?? 100])}
        onChangeComplete={(next) => {
          setDragged(null)
          onValue([next[0] ?? 0, next[1] ?? 100])
        }}
      />
    </div>
  )
}
