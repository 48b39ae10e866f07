module github.com/sallyport/sallyport

go 1.26.0

require (
	github.com/mark3labs/mcp-go v1.2.1 // indirect
	go.etcd.io/bbolt v1.5.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
