import { Form, Switch } from 'antd'
import { Fields, NumberItem } from '../charging-config/items'
import { groups, switches } from './alarming'

/** The lines that alarms begin at, by what they are about. */
export function AlarmItems() {
  return (
    <>
      <fieldset className="config-fields">
        <legend>报警开关</legend>
        <div className="config-switches">
          {switches.map(([name, label, says]) => (
            <Form.Item key={name} name={name} label={label} required extra={says} valuePropName="checked" layout="horizontal" colon={false}>
              <Switch />
            </Form.Item>
          ))}
        </div>
      </fieldset>
      {groups.map(({ title, says, numbers }) => (
        <Fields key={title} title={title} says={says}>
          {numbers.map(([name, label, suffix, min, max]) => (
            <NumberItem key={name} name={name} label={label} suffix={suffix} min={min} max={max} />
          ))}
        </Fields>
      ))}
    </>
  )
}
