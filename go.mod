module github.com/sallyport/sallyport

go 1.26
