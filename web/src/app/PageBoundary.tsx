/** What is drawn in the place of a page that broke, or of which a part did not come: the frame and the other pages stay. */
import { Button, Result } from 'antd'
import { Component, type ReactNode } from 'react'

interface PageBoundaryProps {
  children: ReactNode
}

export class PageBoundary extends Component<PageBoundaryProps, { broken: boolean }> {
  static getDerivedStateFromError() {
    return { broken: true }
  }

  override state = { broken: false }

  override render() {
    if (!this.state.broken) return this.props.children
    return (
      <Result
        status="warning"
        title="页面加载失败，请重试"
        subTitle="可能是网络中断，或系统刚刚更新。已提交的操作不受影响。"
        extra={
          // A part that once did not come is not asked for again until the application begins anew.
          <Button type="primary" onClick={() => window.location.reload()}>
            刷新页面
          </Button>
        }
      />
    )
  }
}
