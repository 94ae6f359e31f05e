import { Collapse, Form } from 'antd'
import { type ReactNode, useEffect, useState } from 'react'

interface MoreItemsProps {
  /** The fields, each with what it usually is. */
  usual: Readonly<Record<string, unknown>>
  children: ReactNode
}

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Fields that are rarely filled in, folded as long as all of them are as usual and none is at fault. */
export function MoreItems({ usual, children }: MoreItemsProps) {
  const names = Object.keys(usual)
  return (
    // A fault comes without a change of any value.
    <Form.Item noStyle shouldUpdate={() => true}>
      {(form) => {
        const faulty = form.getFieldsError(names).find(({ errors }) => errors.length > 0)?.name
        const differs = names.some((name) => !same(form.getFieldValue(name), usual[name]))
        const show = () => faulty && form.scrollToField(faulty, { block: 'center', focus: true })
        return (
          <Folded unfolded={differs} faulty={faulty !== undefined} onFault={show}>
            {children}
          </Folded>
        )
      }}
    </Form.Item>
  )
}

interface FoldedProps {
  /** Whether it begins so. */
  unfolded: boolean
  faulty: boolean
  /** It has opened for a fault. */
  onFault(): void
  children: ReactNode
}

const MORE = 'more'

function Folded({ unfolded, faulty, onFault, children }: FoldedProps) {
  const [open, setOpen] = useState(unfolded)
  // It stays open when the fault is mended.
  if (faulty && !open) setOpen(true)
  useEffect(() => {
    if (open && faulty) onFault()
    // Only when it opens for that: what is typed then must not move about.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [open])
  return (
    <Collapse
      className="form-more"
      size="small"
      activeKey={open ? [MORE] : []}
      onChange={(keys) => setOpen(keys.includes(MORE))}
      // Its fields are part of the form, seen or not.
      items={[{ key: MORE, label: '更多设置', forceRender: true, children }]}
    />
  )
}
