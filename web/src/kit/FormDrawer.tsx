import { Button, Drawer, Skeleton, Space } from 'antd'
import type { ReactNode } from 'react'
import { frame } from './theme'

interface FormDrawerProps {
  title: ReactNode
  wide?: boolean
  /** What is shown while the record is on its way. */
  loading?: boolean
  onClose(): void
  /** The form's id; without one there is nothing to save. */
  form?: string
  saving?: boolean
  saveText?: string
  extra?: ReactNode
  children: ReactNode
}

/** A record or a form at the right side: head, one column, and the way to save at the foot. */
export function FormDrawer(props: FormDrawerProps) {
  return (
    <Drawer
      open
      title={props.title}
      size={props.wide ? frame.drawerWide : frame.drawer}
      className="form-drawer"
      onClose={props.onClose}
      extra={props.extra}
      footer={
        props.form && (
          <Space>
            <Button type="primary" htmlType="submit" form={props.form} loading={props.saving}>
              {props.saveText ?? '保存'}
            </Button>
            <Button onClick={props.onClose}>取消</Button>
          </Space>
        )
      }
    >
      {props.loading ? <Skeleton active paragraph={{ rows: 8 }} /> : props.children}
    </Drawer>
  )
}
