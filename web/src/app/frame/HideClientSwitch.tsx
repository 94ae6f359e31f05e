import { EyeInvisibleOutlined, EyeOutlined } from '@ant-design/icons'
import { Button, Tooltip } from 'antd'
import { useBrandStore } from '../brand'

/** Swaps the client's brand for a neutral one, and back. */
export function HideClientSwitch() {
  const hidden = useBrandStore((state) => state.hidden)
  const setHidden = useBrandStore((state) => state.setHidden)
  const label = hidden ? '显示客户品牌' : '隐藏客户品牌'
  return (
    <Tooltip title={label}>
      <Button
        type="text"
        size="small"
        role="switch"
        aria-checked={hidden}
        aria-label="隐藏客户品牌"
        icon={hidden ? <EyeInvisibleOutlined /> : <EyeOutlined />}
        onClick={() => setHidden(!hidden)}
      />
    </Tooltip>
  )
}
