import { Select } from 'antd'
import { useMemo } from 'react'

import { useScreenAreas } from './useScreen'

interface AreaChooserProps {
  areas: readonly string[]
  onChange: (next: readonly string[]) => void
}

/** Which service areas a wall shows; none chosen means all. */
export function AreaChooser({ areas, onChange }: AreaChooserProps) {
  const known = useScreenAreas()
  const options = useMemo(() => known.map(({ id, name }) => ({ value: id, label: name })), [known])
  return (
    <Select
      className="screen-areas"
      mode="multiple"
      aria-label="服务区"
      placeholder="全部服务区"
      value={[...areas]}
      options={options}
      optionFilterProp="label"
      maxTagCount={0}
      maxTagPlaceholder={(left) => `已选 ${left.length} 个服务区`}
      allowClear
      virtual
      onChange={(next: string[]) => onChange(next)}
    />
  )
}
