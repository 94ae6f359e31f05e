import { DownOutlined, UpOutlined } from '@ant-design/icons'
import { Button, Input, Select, type SelectProps } from 'antd'
import { type ReactNode, useState } from 'react'
import { useDevice } from '../device'
import { parseMoney, typedMoney } from '../format'
import { AreaField } from './AreaField'
import { type Filter, type FilterOption, type Filters, namesOf } from './description'
import { RangeField } from './RangeField'
import { RemoteSelect } from './RemoteSelect'
import { rangeOf, withRange } from './times'
import { useTyped } from './useTyped'

/** Fields that show before the row is unfolded; on a phone each takes a line. */
const FOLDED = 4
const FOLDED_ON_PHONE = 1
/** Choices from so many on can be typed. */
const SEARCHED = 10
const NUMBER = /^-?\d{1,15}(\.\d{1,4})?$/

interface FilterRowProps {
  filters: readonly Filter[]
  values: Filters
  onChange(values: Filters): void
  /** Stands at the end. */
  children?: ReactNode
}

/** Filters in one row; text counts after a pause, a choice at once. */
export function FilterRow({ filters, values, onChange, children }: FilterRowProps) {
  const folded = useDevice() === 'mobile' ? FOLDED_ON_PHONE : FOLDED
  const [unfolded, setUnfolded] = useState(() => filters.slice(folded).some((filter) => namesOf(filter).some((name) => name in values)))
  const shown = unfolded ? filters : filters.slice(0, folded)
  return (
    <div className="filter-row" role="search">
      {shown.map((filter) => {
        const Field = 'from' in filter ? 'div' : 'label'
        return (
          <Field key={namesOf(filter)[0]} className="filter">
            <span>{filter.label}</span>
            <FilterField filter={filter} values={values} onChange={onChange} />
          </Field>
        )
      })}
      <span className="filter-acts">
        <Button type="link" disabled={Object.keys(values).length === 0} onClick={() => onChange({})}>
          重置
        </Button>
        {filters.length > folded && (
          <Button type="link" icon={unfolded ? <UpOutlined /> : <DownOutlined />} onClick={() => setUnfolded(!unfolded)}>
            {unfolded ? '收起' : '展开'}
          </Button>
        )}
        {children}
      </span>
    </div>
  )
}

interface FilterFieldProps {
  filter: Filter
  values: Filters
  onChange(values: Filters): void
}

function FilterField({ filter, values, onChange }: FilterFieldProps) {
  const set = (name: string, value = '') => {
    if ((values[name] ?? '') !== value) onChange({ ...values, [name]: value })
  }
  switch (filter.kind) {
    case 'text':
      return <TextFilter filter={filter} value={values[filter.name] ?? ''} onDone={(value) => set(filter.name, value)} />
    case 'select':
      return (
        <Select
          {...choosing(filter)}
          style={{ width: 128 }}
          value={values[filter.name] ?? null}
          onChange={(value: string | null | undefined) => set(filter.name, value ?? '')}
        />
      )
    case 'several':
      return (
        <Select
          {...choosing(filter)}
          mode="multiple"
          maxTagCount="responsive"
          style={{ width: 200 }}
          value={(values[filter.name] ?? '').split(',').filter(Boolean)}
          // In the order of the choices, so that the same choice is the same address.
          onChange={(chosen: string[]) => set(filter.name, filter.options.flatMap(({ value }) => (chosen.includes(value) ? [value] : [])).join(','))}
        />
      )
    case 'search':
      return (
        <RemoteSelect
          label={filter.label}
          placeholder={filter.placeholder ?? '全部'}
          choices={filter.choices}
          value={values[filter.name]}
          onChange={(value) => set(filter.name, value)}
        />
      )
    case 'area':
      return <AreaField filter={filter} values={values} onChange={onChange} />
    case 'numbers':
    case 'money': {
      const [from, to] = [values[filter.from] ?? '', values[filter.to] ?? '']
      const crossed = from !== '' && to !== '' && Number(from) > Number(to)
      const Field = filter.kind === 'money' ? MoneyField : NumberField
      return (
        <span className="numbers-filter">
          <Field label={`${filter.label}从`} value={from} crossed={crossed} onDone={(value) => set(filter.from, value)} />
          至
          <Field label={`${filter.label}到`} value={to} crossed={crossed} onDone={(value) => set(filter.to, value)} />
          {filter.kind === 'money' ? '元' : filter.unit}
        </span>
      )
    }
    case 'times':
      return (
        <RangeField
          label={filter.label}
          quick={filter.quick ?? ['all', 'today', '7d']}
          range={rangeOf(filter, values)}
          onChange={(range) => onChange(withRange(filter, values, range))}
        />
      )
  }
}

function choosing({ label, options }: { label: string; options: readonly FilterOption[] }) {
  return {
    allowClear: true,
    placeholder: '全部',
    'aria-label': label,
    popupMatchSelectWidth: false,
    showSearch: options.length > SEARCHED && { optionFilterProp: 'label' },
    options: headed(options),
  }
}

/** Choices under their heads, in the order in which both come. */
function headed(options: readonly FilterOption[]): SelectProps<never, FilterOption>['options'] {
  const heads = new Map<string, FilterOption[]>()
  for (const option of options) {
    if (option.group === undefined) return [...options]
    heads.set(option.group, [...(heads.get(option.group) ?? []), option])
  }
  // A head is no choice; antd's types know none without a value.
  return [...heads].map(([label, options]) => ({ label, value: label, options }))
}

function TextFilter(props: { filter: Filter & { kind: 'text' }; value: string; onDone(value: string): void }) {
  const typed = useTyped(props.value, props.onDone)
  return (
    <Input
      allowClear
      style={{ width: 220 }}
      aria-label={props.filter.label}
      placeholder={props.filter.placeholder}
      maxLength={64}
      {...typed}
    />
  )
}

interface NumberFieldProps {
  label: string
  value: string
  /** The lower end is above the upper one. */
  crossed: boolean
  onDone(value: string): void
}

/** Asks for numbers alone, and says so of anything else. */
function NumberField(props: NumberFieldProps) {
  return <EndField {...props} isSound={(text) => NUMBER.test(text)} otherwise="请输入数字" />
}

/** Yuan as they are typed; `value` is cents. What is typed stays as it was typed for as long as it is the same amount. */
function MoneyField({ value, onDone, ...props }: NumberFieldProps) {
  const [own, setOwn] = useState('')
  const asked = /^\d{1,15}$/.test(value) ? BigInt(value) : null
  const shown = asked === null ? '' : parseMoney(own) === asked ? own : typedMoney(asked)
  return (
    <EndField
      {...props}
      value={shown}
      isSound={(text) => parseMoney(text) !== null}
      otherwise="请输入金额，单位元，最多两位小数"
      onDone={(text) => {
        setOwn(text)
        onDone(String(parseMoney(text) ?? ''))
      }}
    />
  )
}

/** One end of a range, asked for when it is sound or empty. */
function EndField({ label, value, crossed, onDone, isSound, otherwise }: NumberFieldProps & { isSound(text: string): boolean; otherwise: string }) {
  const isNumber = (text: string) => text === '' || isSound(text)
  const typed = useTyped(value, (next) => isNumber(next) && onDone(next))
  const fault = isNumber(typed.value.trim()) ? (crossed ? '起始值大于结束值' : undefined) : otherwise
  return (
    <Input
      style={{ width: 84 }}
      aria-label={label}
      inputMode="decimal"
      maxLength={20}
      status={fault && 'error'}
      aria-invalid={fault !== undefined}
      title={fault}
      {...typed}
    />
  )
}
