import {
  AuditOutlined,
  CarOutlined,
  FundProjectionScreenOutlined,
  GiftOutlined,
  LineChartOutlined,
  MessageOutlined,
  MoneyCollectOutlined,
  ProductOutlined,
  SafetyCertificateOutlined,
  SettingOutlined,
  ShopOutlined,
  TeamOutlined,
  ToolOutlined,
  WalletOutlined,
} from '@ant-design/icons'
import type { ReactNode } from 'react'

/** Icons of the menu, by the name in the route table. */
export const menuIcons: Readonly<Record<string, ReactNode>> = {
  screen: <FundProjectionScreenOutlined />,
  revenue: <MoneyCollectOutlined />,
  fleet: <CarOutlined />,
  users: <TeamOutlined />,
  work: <ToolOutlined />,
  log: <AuditOutlined />,
  access: <SafetyCertificateOutlined />,
  marketing: <GiftOutlined />,
  config: <SettingOutlined />,
  report: <LineChartOutlined />,
  agent: <ShopOutlined />,
  production: <ProductOutlined />,
  feedback: <MessageOutlined />,
  financial: <WalletOutlined />,
}
